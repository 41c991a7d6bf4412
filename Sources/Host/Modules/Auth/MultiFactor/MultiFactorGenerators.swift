import Client
import System
import Lua

enum MultiFactorGenerators {
  static func declare(in auth: inout Declarations, _ interpreter: Interpreter) {
    let classes = interpreter.classes
    auth.add(
      "PhoneMultiFactorGenerator.assertion", "The proof of a telephone, by the code it was sent.",
      [LuaParameter("credential", .object(classes.credential), "of PhoneAuthProvider.credential")],
      returns: "MultiFactorAssertion"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let credential = call.object(1, as: Credential.self) else { return .results(0) }
      let made = try interpreter.checked { () throws(AuthError) in
        try PhoneMultiFactorGenerator.assertion(with: credential)
      }
      call.push(interpreter.classes.multiFactorAssertion, made)
      return .results(1)
    }
    auth.wait(
      "TOTPMultiFactorGenerator.generateSecret",
      "A new secret, to be put into an authenticator app.",
      [LuaParameter("session", .object(classes.multiFactorSession), "of multiFactor:getSession()")],
      returns: "TOTPSecret"
    ) { [unowned interpreter] call throws(LuaError) in
      let session = call.object(1, as: MultiFactorSession.self)
      return { () async throws(LuaError) in
        guard let session else { return [] }
        return try await interpreter.auth { () async throws(AuthError) in
          [
            .object(
              interpreter.classes.totpSecret,
              try await TOTPMultiFactorGenerator.generateSecret(with: session))
          ]
        }
      }
    }
    let code = LuaParameter("code", .secret, "what the app shows, or totp.code(secret)")
    auth.add(
      "TOTPMultiFactorGenerator.assertionForEnrollment", "The proof that an app has the secret.",
      [LuaParameter("secret", .object(classes.totpSecret)), code], returns: "MultiFactorAssertion"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let secret = call.object(1, as: TOTPSecret.self) else { return .results(0) }
      let code = Secret(call.string(2) ?? "")
      let made = try interpreter.checked { () throws(AuthError) in
        try TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
      }
      call.push(interpreter.classes.multiFactorAssertion, made)
      return .results(1)
    }
    auth.add(
      "TOTPMultiFactorGenerator.assertionForSignIn", "The proof of an app that is enrolled.",
      [MultiFactorBridge.factor("factor"), code], returns: "MultiFactorAssertion"
    ) { [unowned interpreter] call throws(LuaError) in
      let uid = try MultiFactorBridge.factorUID(call, 1, of: "assertionForSignIn")
      let code = Secret(call.string(2) ?? "")
      let made = try interpreter.checked { () throws(AuthError) in
        try TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: uid, oneTimePassword: code)
      }
      call.push(interpreter.classes.multiFactorAssertion, made)
      return .results(1)
    }
  }
}
