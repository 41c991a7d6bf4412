internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `accounts:resetPassword`: what a code is for, or with a new password the end of a reset.
  func resetPassword(_ call: Call) throws(Refusal) -> JSONObject {
    let isAllowed = allowsPasswords
    guard isAllowed || rules[.realProviders] else { throw Refusal(.passwordLoginDisabled) }
    guard let text = call.fields.text("oobCode") else { throw Refusal(.missingOOBCode) }
    let code = try liveCode(text)
    // To Google's servers an empty password is one, and nothing comes of a sign-in code (measured).
    let password =
      rules[.googleAnswers]
      ? try call.fields.string("newPassword") : call.fields.text("newPassword")
    if let password, !(rules[.googleAnswers] && code.purpose == .emailSignIn) {
      // Measured: the same refusal as at a sign-in.
      guard isAllowed else {
        throw Refusal(rules[.googleAnswers] ? .passwordLoginDisabled : .operationNotAllowed)
      }
      try reset(code, to: password)
    }
    var answer: JSONObject = ["kind": "identitytoolkit#ResetPasswordResponse"]
    answer["requestType"] = .string(code.purpose.rawValue)
    // Whoever has a sign-in link must know to which address it went.
    if code.purpose != .emailSignIn { answer["email"] = .string(code.email) }
    answer.set("newEmail", code.newEmail)
    return answer
  }

  /// Sets a new password by a code, which proves that the address is the person's.
  func reset(_ code: OutOfBandCode, to password: String) throws(Refusal) {
    guard code.purpose == .passwordReset else { throw Refusal(.invalidOOBCode) }
    guard !password.isEmpty else { throw Refusal(.weakPassword) }
    try checkStrength(of: password)
    // Measured: a disabled account uses the code up.
    codes.remove(code.code)
    var account = try owner(of: code, moved: .userNotFound)
    let wasVerified = account.isEmailVerified
    account.emailVerified = true
    setPassword(password, of: &account)
    revokeTokens(of: &account)
    // Firebase's emulator unlinks every provider; else only those go that somebody else may have linked before
    // anybody had proved to own the address.
    if rules[.realProviders] {
      account.removeIdentities { !wasVerified && !$0.isTrusted }
    } else {
      account.unlinkAll()
    }
    accounts.save(&account)
  }
}
