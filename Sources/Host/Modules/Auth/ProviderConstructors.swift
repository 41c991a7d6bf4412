import Client
import IdentityToolkit
import Lua
import System

/// `Auth.OAuthProvider(…)` and the other providers.
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
    let parameters = [
      LuaParameter("providerID", .string),
      LuaParameter("auth", .object(interpreter.classes.auth), optional: true),
    ]
    let make = LuaFunction(
      usage: "Auth.OAuthProvider(providerID [, auth])",
      parameters: [LuaParameter("self", .table)] + parameters, callsTable: true
    ) { [unowned interpreter] call throws(LuaError) in
      try self.make(interpreter, call.string(2) ?? "", call.object(3, as: Auth.self), call)
    }
    Spellings.shared.label(make)
    let named = interpreter.declared(
      LuaFunction(
        usage: "OAuthProvider.provider(providerID [, auth])", parameters: parameters
      ) { [unowned interpreter] call throws(LuaError) in
        try self.make(interpreter, call.string(1) ?? "", call.object(2, as: Auth.self), call)
      })
    return table(
      interpreter, "OAuthProvider",
      [
        ("credential", interpreter.declared(TokenCredentials.credential(interpreter))),
        ("appleCredential", interpreter.declared(TokenCredentials.apple(interpreter))),
        ("", named),
      ], call: make, "write Auth.OAuthProvider(\"microsoft.com\")")
  }

  /// The providers that show a page: calling one makes an OAuthProvider.
  static let withPages = [
    "FacebookAuthProvider", "GitHubAuthProvider", "GoogleAuthProvider", "OAuthProvider",
    "TwitterAuthProvider",
  ]

  /// The names of all providers.
  static let all = withPages + ["EmailAuthProvider", "PhoneAuthProvider"]

  private static func make(
    _ interpreter: Interpreter, _ id: String, _ auth: Auth?, _ call: LuaCall
  ) throws(LuaError) -> LuaFunction.Answer {
    _ = try interpreter.checked { () throws(AuthError) in try OAuthProvider(id) }
    call.push(interpreter.classes.provider, ProviderBox(id: id, auth: auth))
    call.setStored("scopes", .list([]))
    call.setStored("customParameters", .record([]))
    return .results(1)
  }

  /// The table of a provider in luath.auth, which can be called; a name that it does not have is an error.
  ///
  /// - Parameters:
  ///   - functions: Its functions; "" is what its other names may stand for in place of the call.
  ///   - id: The provider's id, unless the script names it.
  ///   - new: What to write in place of `new`.
  static func table(
    _ interpreter: Interpreter, _ name: String, id: String? = nil,
    _ functions: [(name: String, function: LuaFunction)], call: LuaFunction, _ new: String
  ) -> LuaValue {
    let constants = Spellings.shared.constants(of: name).map { ($0.key, LuaValue.string($0.value)) }
    let members =
      (id.map { [("id", .string($0))] } ?? []) + constants + spelled(name, functions)
    interpreter.lua.registerMetatable(
      "luath.\(name)",
      [
        ("__call", .function(call)),
        (
          "__index",
          .function(
            AuthModule.missing(
              "Auth.\(name)",
              (id == nil ? [] : ["id"]) + functions.map(\.name).filter { $0 != "" }
                + constants.map(\.0),
              advice: ["new": new]))
        ),
      ])
    return .pushed { call in
      call.push(.record(members))
      call.useMetatable("luath.\(name)")
    }
  }

  /// The functions of a provider under all their names, and those of the JavaScript SDK that read a credential.
  private static func spelled(
    _ provider: String, _ functions: [(name: String, function: LuaFunction)]
  ) -> [(String, LuaValue)] {
    let others = Spellings.shared.constructors(of: provider).compactMap { old, current in
      functions.first { $0.name == current }.map { (old, $0.function) }
    }
    let own = functions.filter { !$0.name.isEmpty }.map { ($0.name, $0.function) }
    return
      (own + others).map { ($0.0, .function($0.1)) }
      + Spellings.shared.providerFields.map { reader("OAuthProvider.\($0.name)", $0) }
  }

  /// A function that returns a field of its argument.
  static func reader(
    _ usage: String, _ entry: (name: String, owner: String, method: String)
  ) -> (String, LuaValue) {
    let argument = entry.owner == "AuthError" ? "err" : "result"
    let field = entry.method
    let function = LuaFunction(
      usage: "\(usage)(\(argument))", parameters: [LuaParameter(argument, .table)]
    ) { call in
      let value = call.field(1, field) { $0.reference($1) }
      call.push(value)
      return .results(1)
    }
    return (entry.name, .function(function))
  }

  private static func provider(
    _ interpreter: Interpreter, _ name: String, id: String, _ parameters: [LuaParameter],
    _ make: @escaping ([String?]) throws(AuthError) -> Credential
  ) -> LuaValue {
    let page = LuaFunction(
      usage: "Auth.\(name)([auth])",
      parameters: [
        LuaParameter("self", .table),
        LuaParameter("auth", .object(interpreter.classes.auth), optional: true),
      ], callsTable: true
    ) { [unowned interpreter] call throws(LuaError) in
      try self.make(interpreter, id, call.object(2, as: Auth.self), call)
    }
    let function = maker(interpreter, "\(name).credential", parameters, make)
    return table(
      interpreter, name, id: id, [("credential", function)], call: page, "write Auth.\(name)()")
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
    let advice = "write Auth.EmailAuthProvider.credential(email, password)"
    let refused = LuaFunction(
      usage: "Auth.EmailAuthProvider", parameters: [LuaParameter("self", .table)], variadic: true,
      callsTable: true
    ) { _ throws(LuaError) in
      throw .message("a password has no sign-in page; \(advice)")
    }
    return table(
      interpreter, "EmailAuthProvider", id: EmailAuthProvider.id,
      [("credential", byPassword), ("credentialWithLink", byLink)], call: refused, advice)
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

/// `Auth.AuthProviderID`: provider IDs by the SDK's names, and some that the SDK has no name for.
enum ProviderIDs {
  private static let names = [
    ("apple", "apple.com"), ("email", EmailAuthProvider.id), ("facebook", FacebookAuthProvider.id),
    ("gameCenter", "gc.apple.com"), ("gitHub", GitHubAuthProvider.id),
    ("google", GoogleAuthProvider.id), ("phone", "phone"), ("microsoft", "microsoft.com"),
    ("twitter", TwitterAuthProvider.id), ("yahoo", "yahoo.com"),
  ]

  static let memberNames = names.map(\.0) + ["custom"]

  /// The table; its `custom` is for other providers of the project.
  static func table(_ interpreter: Interpreter) -> LuaValue {
    let custom = LuaFunction(
      usage: "AuthProviderID.custom(providerID)", parameters: [LuaParameter("providerID", .string)]
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(1) ?? ""
      call.push(
        try interpreter.checked { () throws(AuthError) in try OAuthProvider(id).providerID })
      return .results(1)
    }
    return .pushed { call in
      call.push(
        .record(
          names.map { ($0.0, LuaValue.string($0.1)) } + [("custom", LuaValue.function(custom))]))
      call.useMetatable("luath.AuthProviderID")
    }
  }
}

/// `OAuthProvider.credential` and `OAuthProvider.appleCredential`: credentials from tokens that the script
/// obtained itself.
enum TokenCredentials {
  static let tokens = ["idToken", "rawNonce", "accessToken"]

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
      call.push(interpreter.classes.credential, try make(interpreter, words))
      return .results(1)
    }
  }

  /// The credential of a provider id and the tokens, which are in the order of `tokens`.
  static func make(
    _ interpreter: Interpreter, _ words: [String?]
  ) throws(LuaError) -> Credential {
    try interpreter.checked { () throws(AuthError) in
      try OAuthProvider.credential(
        providerID: words[0] ?? "", idToken: words[1].map { Secret($0) },
        rawNonce: words[2].map { Secret($0) }, accessToken: words[3].map { Secret($0) })
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

enum CredentialClass {
  static func make() -> LuaClass {
    let type = LuaClass(
      "Credential", "Proof of a user's identity, for signIn, link and reauthenticate.")
    type.properties = [
      text("providerID", "The provider's id.") { $0.providerID },
      text("provider", "The provider's id, under the SDK's name.") { $0.providerID },
      text("signInMethod", "The sign-in method: a provider id, password or emailLink.") {
        $0.signInMethod
      },
      text("idToken", "The provider's ID token, if there is one.") { $0.idToken?.reveal() },
      text("accessToken", "The provider's access token, if there is one.") {
        $0.accessToken?.reveal()
      },
      text("secret", "The provider's OAuth 1 secret, if there is one.") { $0.secret?.reveal() },
      .computed("expiresIn", .integer, optional: true, "Seconds the access token is good for.") {
        call in
        let lifetime = call.object(1, as: Credential.self)?.accessTokenLifetime
        call.push(lifetime.map(LuaValue.integer) ?? .nil)
        return .results(1)
      },
    ]
    type.describe = { ($0 as? Credential)?.description ?? "credential" }
    return type
  }

  private static func text(
    _ name: String, _ summary: String, _ read: @escaping (Credential) -> String?
  ) -> LuaClass.Property {
    .computed(name, .string, optional: true, summary) { call in
      call.push(.string(ifAny: call.object(1, as: Credential.self).flatMap(read)))
      return .results(1)
    }
  }
}
