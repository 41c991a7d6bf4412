internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// `accounts:sendOobCode`: sends a link by e-mail, or returns it to an administrator who asks for it.
  func sendOobCode(_ call: Call) throws(Refusal) -> JSONObject { try send(try draft(call), call) }

  /// Does the same, if the project's function allows it.
  ///
  /// Measured: the function is called for resets and sign-ins, for administrators and clients
  /// alike, and gets no tenant.
  func sendOobCodeIfAllowed(_ call: Call) async throws(Refusal) -> JSONObject {
    let asked = try draft(call)
    guard asked.letter.isSent, let kind = asked.purpose.functionName else {
      return try send(asked, call)
    }
    let isAllowed = try await askAboutMessage(
      .beforeSendEmail, ["email": .string(asked.letter.email), "email_type": .string(kind)],
      call.caller)
    // Other requests ran meanwhile.
    var draft = try draft(call)
    if !isAllowed { draft.letter.isSent = false }
    return try send(draft, call)
  }

  /// An e-mail that has passed all checks.
  private struct Draft {
    let purpose: OutOfBandCode.Purpose
    var letter: Letter
    let continueURL: String?
    let answersLink: Bool
  }

  private func draft(_ call: Call) throws(Refusal) -> Draft {
    let fields = call.fields
    guard let type = fields.text("requestType") else { throw Refusal(.missingReqType) }
    guard type != "OOB_REQ_TYPE_UNSPECIFIED" else {
      throw Refusal(rules[.googleAnswers] ? .invalidReqType : .missingReqType)
    }
    let answersLink = try fields.bool("returnOobLink") == true
    guard !answersLink || call.isAdmin else { throw Refusal(.insufficientPermission) }
    let continueURL = try continueURL(of: fields)
    // Measured: enumeration protection comes first, so the page is checked only if an e-mail is sent.
    if let continueURL, !rules[.googleAnswers] { try check(continueURL: continueURL) }
    if rules[.checkedLinks] { try checkApps(fields) }
    guard let purpose = OutOfBandCode.Purpose(rawValue: type), purpose != .recoverEmail else {
      throw .notImplemented(type)
    }
    if !call.isAdmin { try requireCaptcha(fields, for: .email) }
    let letter = try letter(purpose, call, answersLink: answersLink)
    if let continueURL, letter.isSent, rules[.googleAnswers] {
      try check(continueURL: continueURL)
    }
    return Draft(
      purpose: purpose, letter: letter, continueURL: continueURL, answersLink: answersLink)
  }

  private func send(_ draft: Draft, _ call: Call) throws(Refusal) -> JSONObject {
    let letter = draft.letter
    var answer: JSONObject = ["kind": "identitytoolkit#GetOobConfirmationCodeResponse"]
    answer["email"] = .string(letter.email)
    guard letter.isSent else { return answer }
    if draft.purpose == .verifyEmail { try limitVerifications(of: letter.email) }
    let code = makeCode(
      draft.purpose, email: letter.email, newEmail: letter.newEmail, uid: letter.uid,
      continueURL: draft.continueURL,
      language: call.caller.language ?? configuration.defaultLanguage,
      opening: try appLink(of: call.fields))
    if draft.answersLink {
      answer["oobCode"] = .string(code.code)
      answer["oobLink"] = .string(code.link)
    } else {
      deliver(code, language: call.caller.language)
    }
    return answer
  }

  /// How the link opens an app that the request names (measured).
  private func appLink(of fields: Fields) throws(Refusal) -> OutOfBandCode.AppLink {
    let hasApp =
      Self.appleText("BundleId", of: fields) != nil || fields.text("androidPackageName") != nil
    let isInApp = try fields.bool("canHandleCodeInApp") == true
    return OutOfBandCode.AppLink(isInApp: isInApp, hasApp: hasApp)
  }

  /// A string about an app for iOS.
  ///
  /// Keys arrive as the API spells them, or converted to camel case, where `iOSBundleId` becomes `iOsBundleId`.
  private static func appleText(_ name: String, of fields: Fields) -> String? {
    fields.text("iOS\(name)") ?? fields.text("iOs\(name)")
  }

  /// The page that the link continues to; to Google's servers an empty string is malformed, not absent.
  private func continueURL(of fields: Fields) throws(Refusal) -> String? {
    let text = try fields.echo("continueUrl")
    return text?.isEmpty == true && !rules[.googleAnswers] ? nil : text
  }

  /// Refuses a second e-mail to verify the same address within a few minutes.
  ///
  /// Measured: codes that an administrator requests count too, and codes of other kinds do not.
  private func limitVerifications(of address: String) throws(Refusal) {
    guard rules[.limitedGuesses] else { return }
    guard !verificationEmails.isReached(by: address, now: now) else {
      throw Refusal(.tooManyAttemptsTryLater)
    }
    verificationEmails.count(address, now: now)
  }

  /// The recipient of an e-mail, and whether it is sent at all.
  private struct Letter {
    let email: String
    var newEmail: String?
    var uid: String?
    /// False if nothing is sent and the response must not show it.
    var isSent = true
  }

  private func letter(
    _ purpose: OutOfBandCode.Purpose, _ call: Call, answersLink: Bool
  ) throws(Refusal) -> Letter {
    let fields = call.fields
    switch purpose {
    case .emailSignIn:
      guard allowsEmailLinks else { throw Refusal(.operationNotAllowed) }
      guard let email = fields.text("email") else { throw Refusal(.missingEmail) }
      let address = try addressee(email)
      guard rules[.googleAnswers] else { return Letter(email: address) }
      let account = accounts[email: address]
      guard account?.isDisabled != true else { throw Refusal(.userDisabled) }
      // Measured: this holds for administrators too.
      guard account != nil || permits("disabledUserSignup") else {
        throw Refusal(.adminOnlyOperation)
      }
      guard fields.has("continueUrl") else { throw Refusal(.missingContinueURI) }
      return Letter(email: address, uid: account?.uid)
    case .passwordReset:
      // Measured: the e-mail is sent even if sign-in with passwords is disabled.
      guard let email = fields.text("email") else { throw Refusal(.missingEmail) }
      let address = try addressee(email)
      guard let account = accounts[email: address] else {
        guard hidesAddresses else { throw Refusal(.emailNotFound) }
        return Letter(email: address, isSent: false)
      }
      return Letter(email: address, uid: account.uid)
    case .verifyEmail:
      let (email, account) = try addressOfAsker(
        call, answersLink: answersLink, isSensitive: false, missing: .invalidIDToken)
      return Letter(email: email, uid: account.uid)
    case .verifyAndChangeEmail:
      guard let text = fields.text("newEmail") else { throw Refusal(.missingNewEmail) }
      let newEmail = try addressee(text, malformed: .invalidNewEmail)
      let (email, account) = try addressOfAsker(
        call, answersLink: answersLink, isSensitive: true, missing: .missingIDToken)
      var letter = Letter(email: email, newEmail: newEmail, uid: account.uid)
      if accounts[email: newEmail] != nil {
        // Firebase's emulator reports the address even with e-mail enumeration protection.
        guard rules[.hiddenAddresses], hidesAddresses else { throw Refusal(.emailExists) }
        letter.isSent = false
      }
      return letter
    case .recoverEmail: throw .notImplemented(purpose.rawValue)
    }
  }

  /// The address and account of the caller's ID token, or of the address that an administrator names.
  private func addressOfAsker(
    _ call: Call, answersLink: Bool, isSensitive: Bool, missing: ServerError
  ) throws(Refusal) -> (String, Account) {
    let fields = call.fields
    // In Firebase's emulator a request for the link itself counts as an administrator's.
    let isAdmin = rules[.googleAnswers] ? call.isAdmin : answersLink
    // Measured: for a change of address, an administrator names the account by its address only.
    let namesAccount = isAdmin && isSensitive && rules[.googleAnswers]
    guard let idToken = idToken(of: fields), !namesAccount else {
      guard isAdmin else { throw Refusal(missing) }
      guard let email = fields.text("email") else { throw Refusal(.missingEmail) }
      let address = try addressee(email)
      guard let account = accounts[email: address] else { throw Refusal(.userNotFound) }
      return (address, account)
    }
    let token = try verify(idToken: idToken)
    if isSensitive, !isAdmin { try requireRecentLogin(token) }
    guard let email = token.account.email else { throw Refusal(.missingEmail) }
    return (email, token.account)
  }

  // MARK: Where the link leads

  /// Refuses a page that a link may not continue to.
  func check(continueURL text: String) throws(Refusal) {
    guard rules[.checkedLinks] else {
      guard Link(text) != nil else {
        throw Refusal(
          .invalidContinueURI, "((expected an absolute URI with valid scheme and host))")
      }
      return
    }
    guard let web = Link(text)?.web else {
      throw Refusal(.invalidContinueURI, "Missing domain in continue url")
    }
    let domains = configuration.authorizedDomains + [configuration.authDomain].compactMap(\.self)
    guard
      web.origin == context.origin || domains.contains(where: { $0.asciiLowercased == web.host })
    else {
      throw Refusal(.unauthorizedDomain, "Domain not allowlisted by project")
    }
  }

  /// Refuses a request that lacks what a link to an app needs.
  private func checkApps(_ fields: Fields) throws(Refusal) {
    if fields.text("continueUrl") == nil, try fields.bool("canHandleCodeInApp") == true {
      throw Refusal(.missingContinueURI)
    }
    let wantsAndroid =
      try fields.bool("androidInstallApp") == true || fields.text("androidMinimumVersion") != nil
    // Measured: options for an Android app are ignored without its package name.
    if wantsAndroid, fields.text("androidPackageName") == nil, !rules[.googleAnswers] {
      throw Refusal(.missingAndroidPackageName)
    }
    if Self.appleText("AppStoreId", of: fields) != nil,
      Self.appleText("BundleId", of: fields) == nil
    {
      throw Refusal(.missingIOSBundleID)
    }
    if let domain = fields.text("linkDomain") {
      let own = configuration.authorizedDomains + [configuration.authDomain].compactMap(\.self)
      let isDefault = domain.hasSuffix(".web.app") || domain.hasSuffix(".firebaseapp.com")
      guard !isDefault, own.contains(where: { $0.asciiLowercased == domain.asciiLowercased }) else {
        throw Self.unusableLinkDomain
      }
    }
  }

  private static var unusableLinkDomain: Refusal {
    Refusal(
      .invalidHostingLinkDomain,
      "The provided hosting link domain is not configured in Firebase Hosting or is not owned by the current "
        + "project. This cannot be a default hosting domain (web.app or firebaseapp.com).")
  }

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

  /// Sends a recovery e-mail to the former address, since the owner may not have made the change.
  func sendRecovery(of account: Account, to email: String) {
    // The code shows the new address only where codes belong to an account.
    let newEmail = rules[.expiringCodes] ? account.email : nil
    deliver(
      makeCode(.recoverEmail, email: email, newEmail: newEmail, uid: account.uid),
      newEmail: account.email)
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
    let hasMoved = !sameText(account.email, code.email)
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
