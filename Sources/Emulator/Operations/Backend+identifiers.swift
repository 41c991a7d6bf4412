internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// The address in the form accounts keep it; nil when it is none.
  func normalized(email: String) -> String? {
    rules[.emailFormat] ? EmailAddress.normalized(email) : EmailAddress.roughlyNormalized(email)
  }

  /// A text in the letters of the addresses that accounts keep, whether it is an address or not.
  func lowered(email: String) -> String {
    rules[.emailFormat] ? email.asciiLowercased : ScriptCase.lowered(email)
  }

  /// The address in the form accounts keep it, unless another account has it.
  func freeAddress(_ email: String, for uid: String?) throws(Refusal) -> String {
    guard let address = normalized(email: email) else { throw Refusal(.invalidEmail) }
    if let owner = accounts[email: address],
      uid.map({ ExactString(string: $0) }) != ExactString(string: owner.uid)
    {
      throw Refusal(.emailExists)
    }
    return address
  }

  /// The number in the form accounts keep it, unless it is none.
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

  /// The number in the form accounts keep it, unless it is none or another account has it.
  func freeNumber(_ number: String, for uid: String?) throws(Refusal) -> String {
    let number = try normalized(number: number)
    if let owner = accounts[phone: number],
      uid.map({ ExactString(string: $0) }) != ExactString(string: owner.uid)
    {
      throw Refusal(.phoneNumberExists)
    }
    return number
  }

  /// Refuses what is no number in international form (E.164: a plus and at most 15 digits).
  func checkFormat(ofNumber number: String) throws(Refusal) {
    var isNumber = number.utf8.first == UInt8(ascii: "+")
    if rules[.emailFormat] {
      let digits = number.utf8.dropFirst()
      isNumber =
        isNumber && (4...15).contains(digits.count)
        && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    guard isNumber else { throw Refusal(.invalidPhoneNumber, "Invalid format.") }
  }

  /// Refuses a password that is too short, or that misses something the project's policy asks for.
  ///
  /// Measured: a password that an administrator changes may have five characters, and one that it creates may not.
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

  /// Refuses a name that is too long.
  func checkDisplayName(_ name: String?) throws(Refusal) {
    guard rules[.googleAnswers], let name, name.utf16.count > 256 else { return }
    throw Refusal(.invalidProfileAttribute, "Display name too long.")
  }

  /// Lets the sessions of a new account begin after every session of an account that had the uid before.
  func beginSessions(of account: inout Account) {
    let earlier =
      accounts[uid: account.uid]?.newestSession ?? justRemoved[ExactString(string: account.uid)]
    account.validSince = now
    guard let earlier else { return }
    account.newestSession = earlier
    account.revokeTokens(now: now)
  }

  /// Refuses a password that misses something the project's policy asks for, where it is enforced.
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

  /// Gives the account a new password.
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
