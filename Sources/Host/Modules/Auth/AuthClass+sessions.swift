import Client
import HTTP
import IdentityToolkit
import Lua
import OIDC
import System

/// A separate session beside an `Auth`, for example to verify a user's credential without signing them in.
extension AuthClass {
  static func session(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.add(
      "session", "A new Auth of the same target and tenant, with its own signed-in user.",
      returns: "Auth"
    ) { [unowned interpreter] call in
      guard let auth = call.object(1, as: Auth.self) else { return .results(0) }
      let made = interpreter.makeAuth(auth.target)
      made.tenantID = auth.tenantID
      made.languageCode = auth.languageCode
      made.customAuthDomain = auth.customAuthDomain
      call.push(interpreter.classes.auth, made)
      return .results(1)
    }
  }

  static var createsAccounts: LuaClass.Property {
    .computed(
      "createsAccounts", .boolean,
      "Whether signing in creates an account for an unknown user; true at first.",
      get: { call in
        call.push(.boolean(call.object(1, as: Auth.self)?.createsAccounts ?? true))
        return .results(1)
      },
      set: { call in
        call.object(1, as: Auth.self)?.createsAccounts = call.boolean(2)
        return .results(0)
      })
  }

  /// Declares the methods that set the current user, save sessions and set the language.
  static func sessions(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "updateCurrentUser", "Makes a user the current one without a sign-in.",
      [LuaParameter("user", .object(interpreter.classes.user), optional: true)]
    ) { [unowned interpreter] call throws(LuaError) in
      let (auth, user) = (call.object(1, as: Auth.self), call.object(2, as: User.self))
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          try await auth?.updateCurrentUser(user)
          return []
        }
      }
    }
    methods.wait(
      "save", "Keeps the session in a file that only you can read, and the file up to date.",
      [LuaParameter("path", .string)]
    ) { [unowned interpreter] call throws(LuaError) in
      let auth = call.object(1, as: Auth.self)
      if auth?.target.backend == interpreter.context.target.backend,
        let refusal = interpreter.savingRefusal
      {
        throw refusal
      }
      let path = try interpreter.path(call, 2, of: "save", argument: 1)
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          guard let auth, let user = auth.currentUser else {
            throw AuthError(.nullUser, "no user is signed in, so there is no session to save")
          }
          try await interpreter.sessionFile(path, of: auth.target).save(user)
          return []
        }
      }
    }
    methods.add(
      "useAppLanguage", "Asks for mails in the language of LC_ALL, LC_MESSAGES or LANG."
    ) { [unowned interpreter] call in
      call.object(1, as: Auth.self)?.useAppLanguage(of: interpreter.context.environment)
      return .results(0)
    }
  }

  /// Declares the methods about the password policy, reCAPTCHA and the revocation of Apple's tokens.
  static func projectAnswers(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "validatePassword", "Judges a password by the project's policy; it stays on this machine.",
      [LuaParameter("password", .secret)],
      returns: "a table with isValid, a boolean for each rule of the policy, and passwordPolicy"
    ) { [unowned interpreter] call throws(LuaError) in
      let password = Secret(call.string(2) ?? "")
      return interpreter.authWork(call) { auth throws(AuthError) in
        [value(try await auth.validatePassword(password))]
      }
    }
    methods.wait(
      "initializeRecaptchaConfig", "Asks which calls of the project need a reCAPTCHA.",
      returns: "a table with siteKey, emailPassword, phone"
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.authWork(call) { auth throws(AuthError) in
        let config = try await auth.initializeRecaptchaConfig()
        return [
          .record([
            ("siteKey", .string(ifAny: config.siteKey)),
            ("emailPassword", .string(config.emailPassword)), ("phone", .string(config.phone)),
          ])
        ]
      }
    }
    methods.wait(
      "revokeToken", "Ends the tokens that Apple gave the current user for a code.",
      [LuaParameter("authorizationCode", .secret)]
    ) { [unowned interpreter] call throws(LuaError) in
      let code = Secret(call.string(2) ?? "")
      return interpreter.authWork(call) { auth throws(AuthError) in
        try await auth.revokeToken(authorizationCode: code)
        return []
      }
    }
  }

  static var recaptchaToken: LuaClass.Property {
    .computed(
      "recaptchaToken", .string, optional: true,
      "The reCAPTCHA token for the next call that takes one, and nil from then on.",
      get: { call in
        call.push(.string(ifAny: call.object(1, as: Auth.self)?.recaptchaToken?.reveal()))
        return .results(1)
      },
      set: { call in
        call.object(1, as: Auth.self)?.recaptchaToken = call.string(2).map { Secret($0) }
        return .results(0)
      })
  }

  private static func value(_ status: PasswordValidation) -> LuaValue {
    func flag(_ value: Bool?) -> LuaValue { value.map(LuaValue.boolean) ?? .nil }
    func number(_ value: Int64?) -> LuaValue { value.map(LuaValue.integer) ?? .nil }
    let policy = status.policy
    let options: [(String, LuaValue)] = [
      ("minPasswordLength", number(policy.minPasswordLength)),
      ("maxPasswordLength", number(policy.maxPasswordLength)),
      ("containsLowercaseLetter", .boolean(policy.containsLowercaseLetter)),
      ("containsUppercaseLetter", .boolean(policy.containsUppercaseLetter)),
      ("containsNumericCharacter", .boolean(policy.containsNumericCharacter)),
      ("containsNonAlphanumericCharacter", .boolean(policy.containsNonAlphanumericCharacter)),
    ]
    return .record([
      ("isValid", .boolean(status.isValid)),
      ("meetsMinPasswordLength", flag(status.meetsMinPasswordLength)),
      ("meetsMaxPasswordLength", flag(status.meetsMaxPasswordLength)),
      ("containsLowercaseLetter", flag(status.containsLowercaseLetter)),
      ("containsUppercaseLetter", flag(status.containsUppercaseLetter)),
      ("containsNumericCharacter", flag(status.containsNumericCharacter)),
      ("containsNonAlphanumericCharacter", flag(status.containsNonAlphanumericCharacter)),
      (
        "passwordPolicy",
        .record([
          ("customStrengthOptions", .record(options)),
          (
            "allowedNonAlphanumericCharacters",
            .string(policy.allowedNonAlphanumericCharacters.joined())
          ),
          ("enforcementState", .string(policy.enforcementState)),
          ("forceUpgradeOnSignin", .boolean(policy.forceUpgradeOnSignin)),
        ])
      ),
    ])
  }
}

extension AuthModule {
  static func sessions(_ auth: inout Declarations, _ interpreter: Interpreter) {
    let target = LuaParameter("target", .string, optional: true, "a name of the project file")
    let tenant = LuaParameter("tenantID", .string, optional: true, "the tenant to sign in to")
    auth.add(
      "session", "A new Auth of the run's target or another, with its own signed-in user.",
      [LuaParameter("options", .options([target, tenant]), optional: true)], returns: "Auth"
    ) { [unowned interpreter] call throws(LuaError) in
      let made = interpreter.makeAuth(try interpreter.target(call, 1))
      if call.isTable(1) { made.tenantID = call.field(1, "tenantID") { $0.string($1) } }
      call.push(interpreter.classes.auth, made)
      return .results(1)
    }
    auth.wait(
      "load", "A new Auth that continues a session saved by auth:save, if it is still valid.",
      [
        LuaParameter("path", .string),
        LuaParameter("options", .options([target]), optional: true),
      ], returns: "Auth"
    ) { [unowned interpreter] call throws(LuaError) in
      let path = try interpreter.path(call, 1, of: "load", argument: 1)
      let made = interpreter.makeAuth(try interpreter.target(call, 2))
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          try await interpreter.sessionFile(path, of: made.target).load(into: made)
          return [.object(interpreter.classes.auth, made)]
        }
      }
    }
  }
}

extension Interpreter {
  /// The target named in an options table, or the run's target.
  func target(_ call: LuaCall, _ options: Int) throws(LuaError) -> Target {
    let name = call.isTable(options) ? call.field(options, "target") { $0.string($1) } : nil
    return try name.map { (name) throws(LuaError) in try target(named: name) } ?? context.target
  }

  /// The path at `index`; raises an error when it is not valid.
  func path(
    _ call: LuaCall, _ index: Int, of function: String, argument: Int
  ) throws(LuaError) -> String {
    let path = call.string(index) ?? ""
    // The system would cut the path at a NUL.
    guard !path.utf8.contains(0), !path.isEmpty else {
      throw .message(
        "bad argument #\(argument) to '\(function)' (a path is not empty and has no zero byte)")
    }
    return path
  }

  func sessionFile(_ path: String, of target: Target) -> SessionFile {
    // 8 bytes: enough to distinguish keys, but not enough to verify a guess of one.
    let digest = Digest.sha256(Array(target.apiKey.reveal().utf8)).prefix(8)
    return SessionFile(path, keyFingerprint: Hex.encode(Array(digest)), loop: actor.loop)
  }
}
