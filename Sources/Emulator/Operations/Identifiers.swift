internal import System
internal import IdentityToolkit

extension Backend {
  /// The address in the form that accounts store; nil if it is invalid.
  func normalized(email: String) -> String? {
    rules[.emailFormat] ? EmailAddress.normalized(email) : EmailAddress.roughlyNormalized(email)
  }

  /// The text in lower case, like stored addresses, whether or not it is an address.
  func lowered(email: String) -> String {
    rules[.emailFormat] ? email.asciiLowercased : ScriptCase.lowered(email)
  }

  /// The address in the form that accounts store; refuses an invalid one and one that another account has.
  func freeAddress(_ email: String, for uid: String?) throws(Refusal) -> String {
    guard let address = normalized(email: email) else { throw Refusal(.invalidEmail) }
    if let owner = accounts[email: address],
      !sameText(uid, owner.uid)
    {
      throw Refusal(.emailExists)
    }
    return address
  }

  /// The number in the form that accounts store; refuses an invalid one.
  func normalized(number: String) throws(Refusal) -> String {
    guard rules[.emailFormat] else {
      try checkFormat(ofNumber: number)
      return number
    }
    guard let normalized = PhoneNumber.normalized(number) else {
      throw Refusal(.invalidPhoneNumber, "Invalid format.")
    }
    return normalized
  }

  /// The number in the form that accounts store; refuses an invalid one and one that another account has.
  func freeNumber(_ number: String, for uid: String?) throws(Refusal) -> String {
    let number = try normalized(number: number)
    if let owner = accounts[phone: number],
      !sameText(uid, owner.uid)
    {
      throw Refusal(.phoneNumberExists)
    }
    return number
  }

  /// Refuses a number that is not in international form (E.164: a plus and at most 15 digits).
  func checkFormat(ofNumber number: String) throws(Refusal) {
    var isNumber = number.utf8.first == UInt8(ascii: "+")
    if rules[.emailFormat] {
      let digits = number.utf8.dropFirst()
      isNumber =
        isNumber && (4...15).contains(digits.count)
        && digits.allSatisfy { $0.isDigit }
    }
    guard isNumber else { throw Refusal(.invalidPhoneNumber, "Invalid format.") }
  }

  /// Refuses a password that is too short or does not meet the project's policy.
  ///
  /// Measured: an administrator may set a password of five characters for an existing account, but not for a new one.
  func checkStrength(of password: String, mayBeShort: Bool = false) throws(Refusal) {
    try checkPolicy(password)
    guard password.utf16.count >= 6 || mayBeShort else {
      throw Refusal(.weakPassword, "Password should be at least 6 characters")
    }
    guard !rules[.hashedPasswords] || password.utf16.count <= 4096 else {
      throw Refusal(
        .passwordDoesNotMeetRequirements, "Password cannot be longer than 4096 characters")
    }
  }

  func checkDisplayName(_ name: String?) throws(Refusal) {
    guard rules[.googleAnswers], let name, name.utf16.count > 256 else { return }
    throw Refusal(.invalidProfileAttribute, "Display name too long.")
  }

  /// Makes the sessions of a new account begin after all sessions of an earlier account with the same uid.
  func beginSessions(of account: inout Account) {
    let earlier =
      accounts[uid: account.uid]?.newestSession ?? justRemoved[ExactString(string: account.uid)]
    account.validSince = now
    guard let earlier else { return }
    account.newestSession = earlier
    account.revokeTokens(now: now)
  }

  /// Refuses a password that does not meet the project's policy, where the policy is enforced.
  func checkPolicy(_ password: String, atSignIn: Bool = false) throws(Refusal) {
    guard rules[.projectSettings] else { return }
    let policy = passwordPolicy
    guard policy.isEnforced, policy.isForcedOnSignIn || !atSignIn else { return }
    let missing = policy.shortcomings(of: password)
    guard missing.isEmpty else {
      throw Refusal(
        .passwordDoesNotMeetRequirements,
        "Missing password requirements: [\(missing.map(\.text).joined(separator: ", "))]")
    }
  }

  /// Sets a new password and resets the count of wrong ones.
  func setPassword(_ password: String, of account: inout Account) {
    account.removePassword()
    if let email = account.email { wrongPasswords.forget(email) }
    account.password =
      rules[.hashedPasswords]
      ? PasswordRecord(hashing: password, by: project.passwordHashing)
      : PasswordRecord(readable: password)
    account.passwordUpdatedAt = nowMilliseconds
    if !rules[.revocableSessions] || account.validSince == nil { account.validSince = now }
  }
}

/// The fields of an `accounts:update` request.
struct AccountChange {
  let idToken: String?
  let localID: String?
  let oobCode: String?
  let email: String?
  let password: String?
  let displayName: String?
  let photoURL: String?
  let phoneNumber: String?
  let deletedAttributes: [String]
  let deletedProviders: [String]
  /// The ids of passkeys to remove; nil if the request has no list.
  let deletedPasskeys: [String]?
  let emailVerified: Bool?
  let disableUser: Bool?
  /// The times as the request has them, here and in the next two fields.
  let validSince: String?
  let createdAt: String?
  let lastLoginAt: String?
  let customAttributes: String?
  /// The second factors that replace the existing ones; nil if the request does not mention any.
  let enrollments: [JSON]?

  /// Reads the fields; with `takesAnyTime`, as in Firebase's emulator, times need not be
  /// numbers and an empty ID token counts as absent.
  init(_ fields: Fields, takesAnyTime: Bool) throws(Refusal) {
    for name in ["provider", "upgradeToFederatedLogin"] where fields.has(name) {
      throw .notImplemented("\(name) is not implemented yet.")
    }
    idToken = takesAnyTime ? fields.text("idToken") : try fields.string("idToken")
    localID = fields.text("localId")
    oobCode = fields.text("oobCode")
    email = fields.text("email")
    password = fields.text("password")
    displayName = try fields.string("displayName")
    photoURL = try fields.string("photoUrl")
    phoneNumber = fields.text("phoneNumber")
    deletedAttributes = try fields.strings("deleteAttribute") ?? []
    deletedProviders = try fields.strings("deleteProvider") ?? []
    deletedPasskeys = try fields.strings("deletePasskey")
    emailVerified = try fields.bool("emailVerified")
    disableUser = try fields.bool("disableUser")
    if !takesAnyTime {
      for name in ["validSince", "createdAt", "lastLoginAt"] { _ = try fields.integer(name) }
    }
    validSince = try fields.string("validSince")
    createdAt = try fields.string("createdAt")
    lastLoginAt = try fields.string("lastLoginAt")
    customAttributes = try fields.string("customAttributes")
    enrollments =
      fields.has("mfa") ? fields.value("mfa")?["enrollments"]?.array ?? [] : nil
  }

  func changesEmail(of account: Account) -> Bool {
    guard let email else { return false }
    let current = account.email.map { ExactString(string: $0) }
    return current != ExactString(string: email.asciiLowercased)
  }

  /// Whether the change needs a recent sign-in.
  func isSensitive(for account: Account) -> Bool {
    password != nil || changesEmail(of: account)
      || deletedAttributes.contains { $0 == "EMAIL" || $0 == "PASSWORD" }
  }
}
