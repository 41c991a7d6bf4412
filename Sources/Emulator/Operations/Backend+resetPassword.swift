internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:resetPassword`: returns what a code is for, or with a new password completes a reset.
  func resetPassword(_ call: Call) throws(Refusal) -> JSONObject {
    let isAllowed = allowsPasswords
    guard isAllowed || rules[.realProviders] else { throw Refusal(.passwordLoginDisabled) }
    guard let text = call.fields.text("oobCode") else { throw Refusal(.missingOOBCode) }
    let code = try liveCode(text)
    // To Google's servers an empty password is not absent, and with a sign-in code a password is ignored (measured).
    let password =
      rules[.googleAnswers]
      ? try call.fields.string("newPassword") : call.fields.text("newPassword")
    if let password, !(rules[.googleAnswers] && code.purpose == .emailSignIn) {
      // Measured: the same error as at a sign-in.
      guard isAllowed else {
        throw Refusal(rules[.googleAnswers] ? .passwordLoginDisabled : .operationNotAllowed)
      }
      try reset(code, to: password)
    }
    var answer: JSONObject = ["kind": "identitytoolkit#ResetPasswordResponse"]
    answer["requestType"] = .string(code.purpose.rawValue)
    // The user of a sign-in link has to know the address it was sent to.
    if code.purpose != .emailSignIn { answer["email"] = .string(code.email) }
    answer.set("newEmail", code.newEmail)
    return answer
  }

  /// Sets a new password with a code, which proves that the user owns the address.
  func reset(_ code: OutOfBandCode, to password: String) throws(Refusal) {
    guard code.purpose == .passwordReset else { throw Refusal(.invalidOOBCode) }
    guard !password.isEmpty else { throw Refusal(.weakPassword) }
    try checkStrength(of: password)
    // Measured: the code is used up even if the account is disabled.
    codes.remove(code.code)
    var account = try owner(of: code, moved: .userNotFound)
    let wasVerified = account.isEmailVerified
    account.emailVerified = true
    setPassword(password, of: &account)
    revokeTokens(of: &account)
    // Firebase's emulator unlinks every provider. Otherwise untrusted identities are removed if the address was not
    // verified: somebody else may have linked them.
    if rules[.realProviders] {
      account.removeIdentities { !wasVerified && !$0.isTrusted }
    } else {
      account.unlinkAll()
    }
    accounts.save(&account)
  }
}
