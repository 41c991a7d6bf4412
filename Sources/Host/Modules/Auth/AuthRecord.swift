import Lua
import System

/// Tables that luath.auth returns with the fields of an SDK's class; a name that is no field is an error.
///
/// A field that the backend has not set is nil, as in the SDKs.
enum AuthRecord: String, CaseIterable {
  case result = "the result of signIn"
  case additionalUserInfo
  case userInfo = "an item of providerData"
  case metadata
  case tokenResult = "the result of getIDTokenResult"

  private var fields: [String] {
    switch self {
    case .result: ["user", "additionalUserInfo", "credential"]
    case .additionalUserInfo: ["providerID", "isNewUser", "profile", "username"]
    case .userInfo: ["providerID", "uid", "displayName", "photoURL", "email", "phoneNumber"]
    case .metadata: ["creationDate", "lastSignInDate"]
    case .tokenResult:
      [
        "token", "claims", "expirationDate", "authDate", "issuedAtDate", "signInProvider",
        "signInSecondFactor",
      ]
    }
  }

  /// The name of the SDK's class.
  private var type: String {
    switch self {
    case .result: "AuthDataResult"
    case .additionalUserInfo: "AdditionalUserInfo"
    case .userInfo: "UserInfo"
    case .metadata: "UserMetadata"
    case .tokenResult: "AuthTokenResult"
    }
  }

  private var metatable: String { "luath.auth.\(self)" }

  /// A table of this kind.
  func table(_ values: [(String, LuaValue)]) -> LuaValue {
    .pushed { call in
      call.push(.record(values))
      call.useMetatable(metatable)
    }
  }

  /// The advice for a name that is no field; nil for a field and another SDK's name of one.
  func advice(for name: String) -> String? {
    let spellings = Spellings.shared
    guard !fields.contains(name), spellings.field(name, of: type) == nil else { return nil }
    let near = nearestName(to: name, among: fields)
    return "\(rawValue) has no field '\(name.printable)'; "
      + (spellings.absentFields(of: type)[name] ?? near.map { "did you mean '\($0)'?" }
        ?? "its fields: \(fields.joined(separator: ", "))")
  }

  static func register(in lua: LuaState) {
    for record in allCases {
      let missing = LuaFunction(
        usage: record.rawValue,
        parameters: [LuaParameter("self", .table), LuaParameter("name", .any)]
      ) { call throws(LuaError) in
        // Lua's own functions read items by number.
        guard call.isString(2), let name = call.string(2) else { return .results(0) }
        if let advice = record.advice(for: name) { throw .message(advice) }
        guard let current = Spellings.shared.field(name, of: record.type) else {
          return .results(0)
        }
        call.push(call.field(1, current) { $0.reference($1) })
        return .results(1)
      }
      lua.registerMetatable(
        record.metatable, [("__index", .function(missing)), ("isRecord", .boolean(true))])
    }
  }
}
