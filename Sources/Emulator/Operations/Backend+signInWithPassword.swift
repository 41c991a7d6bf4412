internal import System
internal import IdentityToolkit
internal import OIDC

extension Backend {
  func signInWithPassword(_ call: Call) async throws(Refusal) -> JSONObject {
    let fields = call.fields
    guard allowsPasswords else { throw Refusal(.passwordLoginDisabled) }
    guard let email = try fields.string("email") else { throw Refusal(.missingEmail) }
    guard !(email.isEmpty && rules[.emailFormat]) else { throw Refusal(.missingEmail) }
    guard let address = normalized(email: email) else { throw Refusal(.invalidEmail) }
    guard let password = fields.text("password") else { throw Refusal(.missingPassword) }
    if rules[.projectSettings] {
      if !call.isAdmin { try requireCaptcha(fields, for: .email) }
    } else if fields.text("captchaResponse") != nil || fields.text("captchaChallenge") != nil {
      throw .notImplemented("captcha unimplemented")
    }
    if fields.text("idToken") != nil || fields.text("pendingIdToken") != nil {
      throw .notImplemented(
        "idToken / pendingIdToken is no longer in use and unsupported by the Auth Emulator.")
    }
    let known = try check(password, of: address)
    var factor = FirstFactor.password.proved(in: call)
    factor.isLegacy = try wantsLegacyToken(fields)
    let ended = try await finishFirstFactor(factor, of: known) { account in
      self.renewHash(of: &account, password)
    }
    let account = ended.account
    var answer: JSONObject = ["kind": "identitytoolkit#VerifyPasswordResponse"]
    answer["registered"] = true
    answer["localId"] = .string(account.uid)
    answer.set("email", account.email)
    if rules[.realProviders] {
      answer["displayName"] = .string(account.displayName ?? "")
      answer.set("profilePicture", account.photoURL)
    }
    for (name, value) in ended.answer.entries { answer[name] = value }
    if rules[.projectSettings], passwordPolicy.isEnforced {
      // If the policy does not refuse the sign-in, the app may ask for a better password.
      let missing = passwordPolicy.shortcomings(of: password)
      answer["userNotifications"] =
        missing.isEmpty ? nil : .array(missing.map(\.notification))
    }
    return answer
  }

  private func check(_ password: String, of address: String) throws(Refusal) -> Account {
    // With enumeration protection the error does not show whether the address or the password was wrong.
    let hides = hidesAddresses
    // The limit holds for addresses without an account too: otherwise it would show which ones have one.
    guard !rules[.limitedGuesses] || !wrongPasswords.isReached(by: address, now: now) else {
      throw Refusal(
        .tooManyAttemptsTryLater,
        "Access to this account has been temporarily disabled due to many failed login attempts. You can "
          + "immediately restore it by resetting your password or you can try again later.")
    }
    // Measured: of two accounts that an import gave one address, the one with a password signs in.
    let owners = accounts.accounts(withEmail: address)
    guard let account = owners.first(where: { $0.password != nil }) ?? owners.first else {
      countWrongPassword(of: address)
      throw Refusal(hides ? .invalidLoginCredentials : .emailNotFound)
    }
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    if account.password?.hashing?.breaksSignIn == true {
      throw .internalFailure("Internal error encountered.")
    }
    guard let record = account.password, record.matches(password) else {
      countWrongPassword(of: address)
      throw Refusal(hides ? .invalidLoginCredentials : .invalidPassword)
    }
    wrongPasswords.forget(address)
    try checkPolicy(password, atSignIn: true)
    return account
  }

  private func countWrongPassword(of address: String) {
    if rules[.limitedGuesses] { wrongPasswords.count(address, now: now) }
  }

  /// Replaces an imported hash by one of the project's own, now that the password is known.
  private func renewHash(of account: inout Account, _ password: String) {
    guard rules[.hashedPasswords], let record = account.password,
      record.hashing != PasswordHashing(project.passwordHashing), record.matches(password)
    else { return }
    account.password = PasswordRecord(hashing: password, by: project.passwordHashing)
  }
}
