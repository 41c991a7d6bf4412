internal import System
internal import OIDC
internal import IdentityToolkit

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
    let known = try await check(password, of: address)
    var factor = FirstFactor.password.proved(in: call)
    factor.isLegacy = try wantsLegacyToken(fields)
    let ended = try await finishFirstFactor(factor, of: known) { account in
      self.renewHash(of: &account, password, verifiedBy: known.password)
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

  private func check(_ password: String, of address: String) async throws(Refusal) -> Account {
    while true {
      let account = try account(signingInAs: address)
      let record = account.password
      let isRight = await record?.isHash(of: password) ?? false
      // Meanwhile other requests may have changed the account, or guessed too often.
      let current = try self.account(signingInAs: address)
      guard current.uid == account.uid, current.password?.hash == record?.hash else { continue }
      guard isRight else {
        countWrongPassword(of: address)
        throw Refusal(hidesAddresses ? .invalidLoginCredentials : .invalidPassword)
      }
      wrongPasswords.forget(address)
      try checkPolicy(password, atSignIn: true)
      return current
    }
  }

  /// The account with an address, if it may sign in with a password now.
  private func account(signingInAs address: String) throws(Refusal) -> Account {
    // With enumeration protection the error does not show whether the address or the password was wrong.
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
      throw Refusal(hidesAddresses ? .invalidLoginCredentials : .emailNotFound)
    }
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    if account.password?.hashing?.breaksSignIn == true {
      throw .internalFailure("Internal error encountered.")
    }
    return account
  }

  private func countWrongPassword(of address: String) {
    if rules[.limitedGuesses] { wrongPasswords.count(address, now: now) }
  }

  /// Replaces an imported hash by one of the project's own, now that the password is known.
  private func renewHash(
    of account: inout Account, _ password: String, verifiedBy verified: PasswordRecord?
  ) {
    guard rules[.hashedPasswords], let record = account.password, record.hash == verified?.hash,
      record.hashing != PasswordHashing(project.passwordHashing)
    else { return }
    account.password = PasswordRecord(hashing: password, by: project.passwordHashing)
  }

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

/// A stored password: a hash, or the readable form of Firebase's emulator.
struct PasswordRecord: Sendable {
  /// For the readable form only the password is stored; the rest of its text is always the same.
  private enum Content: Sendable {
    case readable(password: String)
    case hashed(String, PasswordHashing?)
  }

  private let content: Content
  let salt: String?

  /// The hash that administrators see: web-safe base64, or the readable form.
  var hash: String {
    switch content {
    case .readable(let password): Self.readableHash(password, salt: salt ?? "")
    case .hashed(let hash, _): hash
    }
  }

  /// How the hash was made; nil for the readable form of Firebase's emulator.
  var hashing: PasswordHashing? {
    if case .hashed(_, let hashing) = content { hashing } else { nil }
  }

  init(hashing password: String, by scrypt: FirebaseScrypt) {
    let made = scrypt.make(password)
    self.init(hash: made.hash, salt: made.salt, hashing: PasswordHashing(scrypt))
  }

  /// The readable form of Firebase's emulator, which lets a test see the password.
  init(readable password: String, salt: String? = nil) {
    self.salt = salt ?? "fakeSalt\(SecureRandom.alphanumeric(20))"
    content = .readable(password: password)
  }

  /// A hash that was imported or recorded; `hashing` is nil for the readable form.
  init(hash: String, salt: String?, hashing: PasswordHashing?) {
    self.salt = salt
    let start = Self.readableHash("", salt: salt ?? "")
    if hashing == nil, hash.utf8.starts(with: start.utf8) {
      content = .readable(
        password: String(decoding: hash.utf8.dropFirst(start.utf8.count), as: UTF8.self))
    } else {
      content = .hashed(hash, hashing)
    }
  }

  /// An imported hash that can be verified.
  init(hash: [UInt8], salt: [UInt8]?, hashing: PasswordHashing) {
    self.init(
      hash: Self.webSafe(hash), salt: salt.map(Self.webSafe), hashing: hashing)
  }

  func matches(_ password: String) -> Bool {
    guard let hashing else {
      guard let salt, !salt.isEmpty else { return false }
      return constantTimeEqual(hash, Self.readableHash(password, salt: salt))
    }
    guard let bytes = Base64.decodeAnyAlphabet(hash),
      let saltBytes = Base64.decodeAnyAlphabet(salt ?? "")
    else {
      return false
    }
    return hashing.verify(password, hash: bytes, salt: saltBytes)
  }

  /// Whether this is the hash of a password; a slow hash is computed on another thread.
  func isHash(of password: String) async -> Bool {
    guard hashing?.isSlow == true else { return matches(password) }
    return await WorkerThreads.shared.run { matches(password) }
  }

  /// Whether a hash is of the readable form, whatever the password.
  static func isReadable(_ hash: String) -> Bool { hash.utf8.starts(with: "fakeHash:salt=".utf8) }

  /// Base64 in the alphabet of RFC 4648 section 5 with padding, as Google's servers write bytes.
  private static func webSafe(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }

  private static func readableHash(_ password: String, salt: String) -> String {
    "fakeHash:salt=\(salt):password=\(password)"
  }
}
