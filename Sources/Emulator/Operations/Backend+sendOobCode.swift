internal import Encoding
internal import HTTP
internal import IdentityToolkit

extension Backend {
  /// `accounts:sendOobCode`: a link by e-mail, which an administrator may also have as the answer.
  func sendOobCode(_ call: Call) throws(Refusal) -> JSONObject {
    let fields = call.fields
    guard let type = fields.text("requestType"), type != "OOB_REQ_TYPE_UNSPECIFIED" else {
      throw Refusal(.missingReqType)
    }
    let answersLink = try fields.bool("returnOobLink") == true
    guard !answersLink || call.isAdmin else { throw Refusal(.insufficientPermission) }
    let continueURL = try fields.echo("continueUrl").flatMap { $0.isEmpty ? nil : $0 }
    if let continueURL { try check(continueURL: continueURL) }
    if rules[.checkedLinks] { try checkApps(fields) }
    guard let purpose = OutOfBandCode.Purpose(rawValue: type), purpose != .recoverEmail else {
      throw .notImplemented(type)
    }
    if !call.isAdmin { try requireCaptcha(fields, for: .email) }
    let letter = try letter(purpose, fields, answersLink: answersLink)
    var answer: JSONObject = ["kind": "identitytoolkit#GetOobConfirmationCodeResponse"]
    answer["email"] = .string(letter.email)
    guard letter.isSent else { return answer }
    let code = makeCode(
      purpose, email: letter.email, newEmail: letter.newEmail, uid: letter.uid,
      continueURL: continueURL, language: call.language)
    if answersLink {
      answer["oobCode"] = .string(code.code)
      answer["oobLink"] = .string(code.link)
    } else {
      deliver(code)
    }
    return answer
  }

  /// A letter to write: to whom, and whether it is sent at all.
  private struct Letter {
    let email: String
    var newEmail: String?
    var uid: String?
    /// False when the answer must not tell that there is nobody to write to.
    var isSent = true
  }

  private func letter(
    _ purpose: OutOfBandCode.Purpose, _ fields: Fields, answersLink: Bool
  ) throws(Refusal) -> Letter {
    switch purpose {
    case .emailSignIn:
      guard allowsEmailLinks else { throw Refusal(.operationNotAllowed) }
      guard let email = fields.text("email") else { throw Refusal(.missingEmail) }
      return Letter(email: try addressee(email))
    case .passwordReset:
      guard allowsPasswords || !rules[.realProviders] else { throw Refusal(.operationNotAllowed) }
      guard let email = fields.text("email") else { throw Refusal(.missingEmail) }
      let address = try addressee(email)
      guard let account = accounts[email: address] else {
        guard project.hidesAddresses else { throw Refusal(.emailNotFound) }
        return Letter(email: address, isSent: false)
      }
      return Letter(email: address, uid: account.uid)
    case .verifyEmail:
      let (email, account) = try addressOfAsker(
        fields, answersLink: answersLink, isSensitive: false, missing: .invalidIDToken)
      return Letter(email: email, uid: account.uid)
    case .verifyAndChangeEmail:
      guard let text = fields.text("newEmail") else { throw Refusal(.missingNewEmail) }
      let newEmail = try addressee(text)
      let (email, account) = try addressOfAsker(
        fields, answersLink: answersLink, isSensitive: true, missing: .missingIDToken)
      var letter = Letter(email: email, newEmail: newEmail, uid: account.uid)
      if accounts[email: newEmail] != nil {
        // Firebase's emulator tells even with e-mail enumeration protection.
        guard rules[.hiddenAddresses], project.hidesAddresses, !answersLink else {
          throw Refusal(.emailExists)
        }
        letter.isSent = false
      }
      return letter
    case .recoverEmail: throw .notImplemented(purpose.rawValue)
    }
  }

  /// The address of whoever asks by ID token, or of the account an administrator names by address.
  ///
  /// As in production, the wish for the link is what tells the administrator from a client here.
  private func addressOfAsker(
    _ fields: Fields, answersLink: Bool, isSensitive: Bool, missing: ServerError
  ) throws(Refusal) -> (String, Account) {
    guard let idToken = fields.text("idToken") else {
      guard answersLink else { throw Refusal(missing) }
      guard let email = fields.text("email") else { throw Refusal(.missingEmail) }
      let address = try addressee(email)
      guard let account = accounts[email: address] else { throw Refusal(.userNotFound) }
      return (address, account)
    }
    let token = try verify(idToken: idToken)
    if isSensitive, !answersLink { try requireRecentLogin(token) }
    guard let email = token.account.email else { throw Refusal(.missingEmail) }
    return (email, token.account)
  }

  // MARK: Where the link leads

  /// Refuses an address that a link may not lead on to.
  func check(continueURL text: String) throws(Refusal) {
    guard let link = Link(text) else {
      throw Refusal(
        .invalidContinueURI, "((expected an absolute URI with valid scheme and host))")
    }
    guard rules[.checkedLinks] else { return }
    guard let web = link.web else {
      throw Refusal(.invalidContinueURI, "an absolute http or https URL is needed")
    }
    let domains = configuration.authorizedDomains + [configuration.authDomain].compactMap(\.self)
    guard
      web.origin == site.origin || domains.contains(where: { $0.asciiLowercased == web.host })
    else {
      throw Refusal(
        .unauthorizedDomain, "\(web.host) is not among the project's authorized domains")
    }
  }

  /// Refuses what a link that opens an app leaves out.
  private func checkApps(_ fields: Fields) throws(Refusal) {
    if fields.text("continueUrl") == nil, try fields.bool("canHandleCodeInApp") == true {
      throw Refusal(.missingContinueURI)
    }
    let wantsAndroid =
      try fields.bool("androidInstallApp") == true || fields.text("androidMinimumVersion") != nil
    if wantsAndroid, fields.text("androidPackageName") == nil {
      throw Refusal(.missingAndroidPackageName)
    }
    // In camel case, as keys arrive, the S of the API's `iOSBundleId` is small.
    if fields.text("iOsAppStoreId") != nil, fields.text("iOsBundleId") == nil {
      throw Refusal(.missingIOSBundleID)
    }
    if let domain = fields.text("linkDomain") {
      let own = configuration.authorizedDomains + [configuration.authDomain].compactMap(\.self)
      guard own.contains(where: { $0.asciiLowercased == domain.asciiLowercased }) else {
        throw Refusal(.invalidHostingLinkDomain)
      }
    }
  }
}
