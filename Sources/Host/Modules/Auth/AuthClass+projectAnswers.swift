import Client
import System
import Lua

extension AuthClass {
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
