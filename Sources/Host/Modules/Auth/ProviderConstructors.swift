import Client
import System
import Lua

/// `Auth.OAuthProvider(…)` and the providers that only make credentials.
enum ProviderConstructors {
  static func fields(_ interpreter: Interpreter) -> [(String, LuaValue)] {
    [
      ("OAuthProvider", oauth(interpreter)),
      ("PhoneAuthProvider", PhoneProviderClass.constructor(interpreter)),
      ("EmailAuthProvider", email(interpreter)),
      (
        "GoogleAuthProvider",
        provider(
          interpreter, "GoogleAuthProvider", id: GoogleAuthProvider.id,
          secrets("idToken", "accessToken", optional: true)
        ) { words throws(AuthError) in
          try GoogleAuthProvider.credential(
            idToken: words[0].map { Secret($0) }, accessToken: words[1].map { Secret($0) })
        }
      ),
      (
        "FacebookAuthProvider",
        provider(
          interpreter, "FacebookAuthProvider", id: FacebookAuthProvider.id, secrets("accessToken")
        ) { words throws(AuthError) in
          try FacebookAuthProvider.credential(accessToken: Secret(words[0] ?? ""))
        }
      ),
      (
        "GitHubAuthProvider",
        provider(interpreter, "GitHubAuthProvider", id: GitHubAuthProvider.id, secrets("token")) {
          words throws(AuthError) in
          try GitHubAuthProvider.credential(token: Secret(words[0] ?? ""))
        }
      ),
      (
        "TwitterAuthProvider",
        provider(
          interpreter, "TwitterAuthProvider", id: TwitterAuthProvider.id,
          secrets("token", "secret")
        ) { words throws(AuthError) in
          try TwitterAuthProvider.credential(
            token: Secret(words[0] ?? ""), secret: Secret(words[1] ?? ""))
        }
      ),
    ]
  }

  private static func oauth(_ interpreter: Interpreter) -> LuaValue {
    let make = LuaFunction(
      usage: "Auth.OAuthProvider(providerID [, auth])",
      parameters: [
        LuaParameter("self", .table), LuaParameter("providerID", .string),
        LuaParameter("auth", .object(interpreter.classes.auth), optional: true),
      ], callsTable: true
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      _ = try interpreter.checked { () throws(AuthError) in try OAuthProvider(id) }
      call.push(
        interpreter.classes.provider, ProviderBox(id: id, auth: call.object(3, as: Auth.self)))
      call.setStored("scopes", .list([]))
      call.setStored("customParameters", .record([]))
      return .results(1)
    }
    interpreter.lua.registerMetatable("luath.OAuthProvider", [("__call", .function(make))])
    let byTokens = interpreter.declared(TokenCredentials.credential(interpreter))
    let ofApple = interpreter.declared(TokenCredentials.apple(interpreter))
    return .pushed { call in
      call.push(
        .record([
          ("credential", .function(byTokens)),
          ("appleCredential", .function(ofApple)),
        ]))
      call.useMetatable("luath.OAuthProvider")
    }
  }

  private static func provider(
    _ interpreter: Interpreter, _ name: String, id: String, _ parameters: [LuaParameter],
    _ make: @escaping ([String?]) throws(AuthError) -> Credential
  ) -> LuaValue {
    let function = maker(
      interpreter, "\(name).credential", parameters, make)
    return .record([("id", .string(id)), ("credential", .function(function))])
  }

  private static func email(_ interpreter: Interpreter) -> LuaValue {
    let email = LuaParameter("email", .string)
    let byPassword = maker(
      interpreter, "EmailAuthProvider.credential", [email] + secrets("password")
    ) {
      words throws(AuthError) in
      EmailAuthProvider.credential(email: words[0] ?? "", password: Secret(words[1] ?? ""))
    }
    let byLink = maker(
      interpreter, "EmailAuthProvider.credentialWithLink", [email] + secrets("link")
    ) {
      words throws(AuthError) in
      try EmailAuthProvider.credential(email: words[0] ?? "", link: words[1] ?? "")
    }
    return .record([
      ("id", .string(EmailAuthProvider.id)), ("credential", .function(byPassword)),
      ("credentialWithLink", .function(byLink)),
    ])
  }

  private static func maker(
    _ interpreter: Interpreter, _ name: String, _ parameters: [LuaParameter],
    _ make: @escaping ([String?]) throws(AuthError) -> Credential
  ) -> LuaFunction {
    let count = parameters.count
    let function = LuaFunction(
      usage: "\(name)(\(parameters.map(\.name).joined(separator: ", ")))", parameters: parameters
    ) { [unowned interpreter] call throws(LuaError) in
      let given = (1...count).map { call.string($0) }
      call.push(
        interpreter.classes.credential,
        try interpreter.checked { () throws(AuthError) in try make(given) })
      return .results(1)
    }
    return interpreter.declared(function)
  }

  private static func secrets(_ names: String..., optional: Bool = false) -> [LuaParameter] {
    names.map { LuaParameter($0, .secret, optional: optional) }
  }
}
