import Client
import System
import IdentityToolkit
import Lua

/// `OAuthProvider.credential` and `OAuthProvider.appleCredential`: credentials from tokens that the script
/// obtained itself.
enum TokenCredentials {
  private static let tokens = ["idToken", "rawNonce", "accessToken"]

  /// The function `credential`, which accepts its values in order or as one table.
  static func credential(_ interpreter: Interpreter) -> LuaFunction {
    let texts = tokens.map { LuaParameter($0, .secret, optional: true) }
    let named = LuaParameter.Kind.options([LuaParameter("providerID", .string)] + texts)
    return LuaFunction(
      usage: "OAuthProvider.credential(providerID [, idToken] [, rawNonce] [, accessToken])",
      parameters: [LuaParameter("providerID", .either([.string, named]))] + texts
    ) { [unowned interpreter] call throws(LuaError) in
      var words = (1...4).map { call.string($0) }
      if call.isTable(1) {
        guard words[1...].allSatisfy({ $0 == nil }) else {
          throw .message("bad argument #2 to 'credential' (put all values into the table)")
        }
        words = (["providerID"] + tokens).map { name in call.field(1, name) { $0.string($1) } }
      }
      let made = try interpreter.checked { () throws(AuthError) in
        try OAuthProvider.credential(
          providerID: words[0] ?? "", idToken: words[1].map { Secret($0) },
          rawNonce: words[2].map { Secret($0) }, accessToken: words[3].map { Secret($0) })
      }
      call.push(interpreter.classes.credential, made)
      return .results(1)
    }
  }

  /// The function `appleCredential`, with the user's name, which Apple only provides at the first sign-in.
  static func apple(_ interpreter: Interpreter) -> LuaFunction {
    let parts = ["givenName", "familyName"].map { LuaParameter($0, .string, optional: true) }
    return LuaFunction(
      usage: "OAuthProvider.appleCredential(idToken [, rawNonce] [, fullName])",
      parameters: [
        LuaParameter("idToken", .secret), LuaParameter("rawNonce", .secret, optional: true),
        LuaParameter("fullName", .options(parts), optional: true),
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      func part(_ name: String) -> String? {
        call.isTable(3) ? call.field(3, name) { $0.string($1) } : nil
      }
      let made = try interpreter.checked { () throws(AuthError) in
        try OAuthProvider.appleCredential(
          idToken: Secret(call.string(1) ?? ""), rawNonce: call.string(2).map { Secret($0) },
          fullName: PersonName(givenName: part("givenName"), familyName: part("familyName")))
      }
      call.push(interpreter.classes.credential, made)
      return .results(1)
    }
  }
}
