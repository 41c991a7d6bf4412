import Client
import IdentityToolkit
import Lua
import OIDC
import System

enum AdminModule {
  /// The audience of custom tokens; firebase-client facts 3.5.
  private static let audience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

  static func make(_ interpreter: Interpreter) -> Module {
    var admin = Declarations(interpreter, owner: "admin")
    admin.add(
      "customToken", "Signs a custom token, with which auth:signInWithCustomToken signs in a uid.",
      [
        LuaParameter("serviceAccount", .table, "its JSON key, decoded: client_email, private_key"),
        LuaParameter("uid", .string, "1 to 128 characters"),
        LuaParameter("claims", .table, optional: true, "further claims of the ID token"),
      ], returns: "the token"
    ) { [unowned interpreter] call throws(LuaError) in
      let account = try ServiceAccountKey(call, 1)
      let uid = call.string(2) ?? ""
      guard (1...128).contains(uid.utf16.count) else {
        throw .message("bad argument #2 to 'customToken' (a uid has 1 to 128 characters)")
      }
      var claims: JSONObject = [
        "iss": .string(account.email), "sub": .string(account.email), "aud": .string(audience),
        "uid": .string(uid),
      ]
      let now = interpreter.clock.now
      claims["iat"] = .integer(now)
      claims["exp"] = .integer(now + 3600)
      if call.isTable(3) {
        let further = try JSONBridge.read(call, 3)
        guard further.object != nil else {
          throw .message("bad argument #3 to 'customToken' (claims have names; got a list)")
        }
        claims["claims"] = further
      }
      do throws(JOSEError) {
        call.push(try SigningKey(pem: account.key, keyID: account.keyID).sign(claims))
      } catch {
        throw .object([
          ("code", .string("invalidServiceAccount")), ("message", .string(error.message)),
          (
            "hint",
            .string("pass the JSON key of a service account, as downloaded from the console")
          ),
        ])
      }
      return .results(1)
    }
    declareConstructor(in: &admin, interpreter)
    return Module(
      "luath.admin", "Administration of users and projects, with a service account.",
      admin.list,
      classes: [
        (interpreter.classes.admin, AdminClass.declare(interpreter)),
        (interpreter.classes.adminList, AdminListClass.declare(interpreter)),
      ])
  }

  private static func declareConstructor(
    in admin: inout Declarations, _ interpreter: Interpreter
  ) {
    let account = LuaParameter(
      "serviceAccount", .either([.string, .table]), optional: true,
      "the path of its JSON key, or the key decoded")
    admin.add(
      "admin", "The administrator of the run's target, or of another target or a tenant.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("target", .string, optional: true, "a name of the project file"),
            account, LuaParameter("tenantID", .string, optional: true),
          ]), optional: true)
      ], returns: "Admin"
    ) { [unowned interpreter] call throws(LuaError) in
      func text(_ name: String) -> String? {
        call.isTable(1) ? call.field(1, name) { $0.string($1) } : nil
      }
      let made = try interpreter.makeAdmin(
        target: text("target"), try serviceAccount(call), tenantID: text("tenantID"))
      call.push(interpreter.classes.admin, made)
      return .results(1)
    }
  }

  private static func serviceAccount(_ call: LuaCall) throws(LuaError) -> KeySource? {
    guard call.isTable(1) else { return nil }
    return try call.field(1, "serviceAccount") { call, at -> Result<KeySource?, LuaError> in
      if let path = call.string(at) { return .success(.path(path)) }
      guard call.isTable(at) else { return .success(nil) }
      do throws(LuaError) {
        return .success(.json(try JSONBridge.read(call, at)))
      } catch {
        return .failure(error)
      }
    }.get()
  }
}

private struct ServiceAccountKey {
  let email: String
  let key: Secret
  let keyID: String?

  init(_ call: LuaCall, _ index: Int) throws(LuaError) {
    func text(_ name: String) -> String? { call.field(index, name) { $0.string($1) } }
    guard let email = text("client_email"), let key = text("private_key") else {
      throw .object([
        ("code", .string("invalidServiceAccount")),
        ("message", .string("the service account has no client_email or no private_key")),
        ("hint", .string("pass the decoded JSON key of a service account")),
      ])
    }
    self.email = email
    self.key = Secret(key)
    keyID = text("private_key_id")
  }
}

enum KeySource {
  case path(String)
  case json(JSON)

  func read() throws(AdminError) -> ServiceAccount {
    switch self {
    case .path(let path): try ServiceAccount(path: path)
    case .json(let json): try ServiceAccount(json: json)
    }
  }
}

extension Interpreter {
  /// The administrator of a target.
  ///
  /// On a real project without `key`, it uses the file that `GOOGLE_APPLICATION_CREDENTIALS` names. For a key
  /// file it returns the same administrator each time, so that its access token is reused, until the file
  /// contains another key.
  func makeAdmin(
    target name: String?, _ key: KeySource?, tenantID: String?
  ) throws(LuaError) -> Admin {
    let target =
      try name.map { (name) throws(LuaError) in try self.target(named: name) }
      ?? context.target
    var key = key
    if key == nil, !target.isEmulated,
      let path = context.environment["GOOGLE_APPLICATION_CREDENTIALS"], !path.isEmpty
    {
      key = .path(path)
    }
    // None of these contains NUL.
    var place: ExactString?
    if case .path(let path)? = key {
      place = ExactString([name ?? "", path, tenantID ?? ""].joined(separator: "\0"))
    }
    if case .path(let path)? = key {
      try adminChecked { () throws(AdminError) in try checkKey(path) }
    }
    let account = try adminChecked { [key] () throws(AdminError) in try key?.read() }
    if let place, let known = admins[place], known.serviceAccount?.isSame(as: account) == true {
      return known
    }
    let made = try adminChecked { () throws(AdminError) in
      try Admin(
        target: target, serviceAccount: account, tenantID: tenantID,
        transport: transport(to: target), clock: clock)
    }
    if let place { admins[place] = made }
    return made
  }

  /// Refuses a key file that other users can write, and warns of one that they can read.
  private func checkKey(_ path: String) throws(AdminError) {
    guard let access = FileAccess(path: path), access.isFile else { return }
    let advice = "run chmod 600 \(path.printable)"
    guard !access.othersMay(.write) else {
      throw AdminError(
        .invalidServiceAccount,
        "the service account's key file \(path.printable) can be written by others", hint: advice)
    }
    guard access.othersMay(.read), context.projectGuard.isFirstReport(ofKey: path) else { return }
    context.warn?(
      "the service account's key file \(path.printable) can be read by others", advice)
  }
}

extension ServiceAccount {
  /// Whether it is the same key, by account, key ID and token URL.
  fileprivate func isSame(as other: ServiceAccount?) -> Bool {
    other?.clientEmail == clientEmail && other?.key.keyID == key.keyID
      && other?.tokenURL == tokenURL
  }
}
