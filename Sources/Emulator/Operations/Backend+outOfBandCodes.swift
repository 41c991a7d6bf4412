internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// Makes a code and the link that carries it; whoever reads the listing plays the mailbox.
  func makeCode(
    _ purpose: OutOfBandCode.Purpose, email: String, newEmail: String? = nil, uid: String? = nil,
    continueURL: String? = nil, language: String? = nil,
    opening app: OutOfBandCode.AppLink = .none
  ) -> OutOfBandCode {
    var made = OutOfBandCode(
      code: SecureRandom.token(bytes: 40), purpose: purpose, email: email, newEmail: newEmail,
      uid: uid, handler: project.actionHandler, apiKey: project.apiKeyOfLinks, tenantID: tenantID,
      continueURL: continueURL, createdAt: now)
    // Firebase's emulator writes all of them in English.
    if rules[.checkedLinks], let language, !language.isEmpty { made.language = language }
    if rules[.checkedLinks] {
      made.linkForm = app.isInApp ? .app : .handler
      if app.hasApp { made.appLink = "\(site.origin)\(OutOfBandCode.appLinkPath)" }
    }
    if rules[.expiringCodes] {
      let weekAgo = now - 7 * 86_400
      codes.sweep { $0.isExpired(at: weekAgo) }
    }
    if rules[.expiringCodes], let topic = made.topic { replaceNewest(of: topic, by: made.code) }
    codes.put(made, under: made.code)
    return made
  }

  /// Ends the code of an older e-mail on the same subject to the same address.
  private func replaceNewest(of topic: ExactString, by code: String) {
    // A state file brings codes along, and used ones leave their entries behind.
    if newestCodes == nil || newestCodes?.count ?? 0 > 2 * codes.count + 1024 {
      newestCodes = [:]
      for known in codes.all { known.topic.map { newestCodes?[$0] = known.code } }
    }
    if let older = newestCodes?.updateValue(code, forKey: topic) { codes.remove(older) }
  }

  /// Ends the codes that would verify an address which the account has left by a code (measured).
  func removeCodes(toVerifyFormerAddressOf account: Account) {
    let uid = ExactString(string: account.uid)
    for code in codes.all
    where code.purpose == .verifyEmail && code.uid.map({ ExactString(string: $0) }) == uid {
      codes.remove(code.code)
    }
  }

  /// Tells the terminal of `luath emulator` of a letter.
  func deliver(_ code: OutOfBandCode) {
    site.notices?(code.notice)
  }

  /// Tells the former address of a change that its owner may not have made.
  func sendRecovery(of account: Account, to email: String) {
    // What has become of the address is told only where links belong to an account.
    let newEmail = rules[.expiringCodes] ? account.email : nil
    deliver(makeCode(.recoverEmail, email: email, newEmail: newEmail, uid: account.uid))
  }

  /// The code, unless it is unknown or used or, where codes expire, too old or of a deleted account.
  func liveCode(_ text: String) throws(Refusal) -> OutOfBandCode {
    guard let code = codes[text] else { throw Refusal(.invalidOOBCode) }
    guard !rules[.expiringCodes] || code.uid.map({ accounts[uid: $0] != nil }) ?? true else {
      throw Refusal(.invalidOOBCode)
    }
    guard !rules[.expiringCodes] || !code.isExpired(at: now) else {
      throw Refusal(.expiredOOBCode)
    }
    return code
  }

  /// The account that a code speaks for: in Firebase's emulator whoever has its address now, else the one it
  /// was made for, as long as that may use it.
  ///
  /// - Parameter moved: What to throw when the account has another address by now; nil where that does not matter.
  func owner(of code: OutOfBandCode, moved: ServerError?) throws(Refusal) -> Account {
    guard rules[.expiringCodes] else {
      let account =
        code.purpose == .recoverEmail
        ? accounts[initialEmail: code.email] : accounts[email: code.email]
      guard let account else { throw Refusal(.invalidOOBCode) }
      return account
    }
    guard let uid = code.uid, let account = accounts[uid: uid] else {
      throw Refusal(.invalidOOBCode)
    }
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    let hasMoved = account.email.map { ExactString(string: $0) } != ExactString(string: code.email)
    if let moved, hasMoved { throw Refusal(moved) }
    return account
  }

  /// The address a letter goes to, in the form accounts keep it.
  func addressee(
    _ text: String, malformed: ServerError = .invalidEmail
  ) throws(Refusal) -> String {
    // Firebase's emulator sends to whatever it is given.
    guard rules[.emailFormat] else { return ScriptCase.lowered(text) }
    guard let address = normalized(email: text) else { throw Refusal(malformed) }
    return address
  }
}
