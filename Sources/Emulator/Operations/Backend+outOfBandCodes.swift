internal import System
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// Creates a code and the link that contains it; the list of codes serves as the mailbox.
  func makeCode(
    _ purpose: OutOfBandCode.Purpose, email: String, newEmail: String? = nil, uid: String? = nil,
    continueURL: String? = nil, language: String? = nil,
    opening app: OutOfBandCode.AppLink = .none
  ) -> OutOfBandCode {
    var made = OutOfBandCode(
      code: SecureRandom.token(bytes: 40), purpose: purpose, email: email, newEmail: newEmail,
      uid: uid, handler: project.actionHandler, apiKey: project.apiKeyOfLinks, tenantID: tenantID,
      continueURL: continueURL, createdAt: now)
    // In Firebase's emulator all e-mails are in English.
    if rules[.checkedLinks], let language, !language.isEmpty { made.language = language }
    if rules[.checkedLinks] {
      made.linkForm = app.isInApp ? .app : .handler
      if app.hasApp { made.appLink = "\(context.origin)\(OutOfBandCode.appLinkPath)" }
    }
    if rules[.expiringCodes] {
      let weekAgo = now - 7 * 86_400
      codes.sweep { $0.isExpired(at: weekAgo) }
    }
    if rules[.expiringCodes], let topic = made.topic { replaceNewest(of: topic, by: made.code) }
    codes.put(made, under: made.code)
    return made
  }

  /// Removes the code of an older e-mail with the same purpose and address.
  private func replaceNewest(of topic: ExactString, by code: String) {
    // A state file may contain codes, and used codes leave their entries behind.
    if newestCodes == nil || newestCodes?.count ?? 0 > 2 * codes.count + 1024 {
      newestCodes = [:]
      for known in codes.all { known.topic.map { newestCodes?[$0] = known.code } }
    }
    if let older = newestCodes?.updateValue(code, forKey: topic) { codes.remove(older) }
  }

  /// Removes the codes to verify an address that the account has changed by a code (measured).
  func removeCodes(toVerifyFormerAddressOf account: Account) {
    let uid = ExactString(string: account.uid)
    for code in codes.all
    where code.purpose == .verifyEmail && code.uid.map({ ExactString(string: $0) }) == uid {
      codes.remove(code.code)
    }
  }

  /// Prints the e-mail in the terminal of `luath emulator`.
  func deliver(_ code: OutOfBandCode) {
    context.notices?(code.notice)
  }

  /// Sends a recovery e-mail to the former address, since the owner may not have made the change.
  func sendRecovery(of account: Account, to email: String) {
    // The code shows the new address only where codes belong to an account.
    let newEmail = rules[.expiringCodes] ? account.email : nil
    deliver(makeCode(.recoverEmail, email: email, newEmail: newEmail, uid: account.uid))
  }

  /// The stored code; refuses one that is unknown or used or, where codes expire, too old or of a deleted account.
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

  /// The account of a code: in Firebase's emulator the one that has its address now, otherwise the one
  /// it was made for, unless that is disabled.
  ///
  /// - Parameter moved: The error if the account has another address by now; nil if that does not matter.
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

  /// The address an e-mail goes to, in the form that accounts store.
  func addressee(
    _ text: String, malformed: ServerError = .invalidEmail
  ) throws(Refusal) -> String {
    // Firebase's emulator accepts any text.
    guard rules[.emailFormat] else { return ScriptCase.lowered(text) }
    guard let address = normalized(email: text) else { throw Refusal(malformed) }
    return address
  }
}
