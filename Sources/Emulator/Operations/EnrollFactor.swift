internal import System
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// `accounts/mfaEnrollment:start`: sends a code to a phone, or returns a secret for an authenticator app.
  func startMFAEnrollment(_ call: Call) throws(Refusal) -> JSONObject {
    let (message, account) = try enrollmentMessage(call)
    guard let message else { return try startApp(for: account) }
    let sent = sendSMS(
      message.number, for: message.purpose, language: call.caller.language
    ) {
      "To enroll MFA with \($0), use the code \($1)."
    }
    return ["phoneSessionInfo": ["sessionInfo": .string(sent.sessionInfo)]]
  }

  /// The SMS for a phone that is to become a factor, nil for an app; refuses a factor the account may not have.
  func enrollmentMessage(
    _ call: Call
  ) throws(Refusal) -> (message: TextMessage?, account: Account) {
    try requireKind(call.fields, "phoneEnrollmentInfo", "totpEnrollmentInfo")
    let isApp = wantsApp(call.fields, phone: "phoneEnrollmentInfo", app: "totpEnrollmentInfo")
    if isApp { try requireTOTPFactors() } else { try requireSMSFactors() }
    let token = try enrollingToken(call.fields)
    guard token.account.isEmailVerified else {
      throw Refusal(
        .unverifiedEmail, "Need to verify email first before enrolling second factors.")
    }
    if isApp { return (nil, token.account) }
    guard let info = try call.fields.object("phoneEnrollmentInfo") else {
      throw Refusal(.invalidArgument, "((Missing phoneEnrollmentInfo.))")
    }
    let number = Fields(info).text("phoneNumber") ?? ""
    try checkFormat(ofNumber: number)
    try requireRoom(for: number, in: token.account)
    try checkRegion(of: number)
    let message = TextMessage(number: number, purpose: .enrollment(uid: token.account.uid))
    return (message, token.account)
  }

  /// `accounts/mfaEnrollment:finalize`: adds a factor that its code proves.
  func finalizeMFAEnrollment(_ call: Call) throws(Refusal) -> JSONObject {
    let fields = call.fields
    try requireKind(fields, "phoneVerificationInfo", "totpVerificationInfo")
    let isApp = wantsApp(fields, phone: "phoneVerificationInfo", app: "totpVerificationInfo")
    if isApp { try requireTOTPFactors() } else { try requireSMSFactors() }
    let token = try enrollingToken(fields)
    var factor = SecondFactor(id: newFactorID(), displayName: try fields.string("displayName"))
    factor.enrolledAt = momentText()
    if isApp {
      try prove(&factor, fields, for: token.account)
    } else {
      guard let info = try fields.object("phoneVerificationInfo") else {
        throw Refusal(.invalidArgument, "((Missing phoneVerificationInfo.))")
      }
      let number = try takeNumber(Fields(info), for: .enrollment(uid: token.account.uid))
      try requireRoom(for: number, in: token.account)
      factor.phoneNumber = number
    }
    var account = token.account
    account.factors = (account.factors ?? []) + [factor]
    // Measured: enrolling a phone ends the earlier sessions, enrolling an app does not.
    var answer = try tokens(
      for: &account, after: token, secondFactor: factor.used, endsSessions: !isApp)
    answer["expiresIn"] = nil
    if isApp { answer["totpAuthInfo"] = [:] }
    return answer
  }

  /// `accounts/mfaEnrollment:withdraw`.
  func withdrawMFA(_ call: Call) throws(Refusal) -> JSONObject {
    let token = try asker(call.fields)
    try requireRecentLogin(token)
    var account = token.account
    let id = ExactString(string: call.fields.text("mfaEnrollmentId") ?? "")
    let kept = (account.factors ?? []).filter { ExactString(string: $0.id) != id }
    guard kept.count < account.factors?.count ?? 0 else { throw Refusal(.mfaEnrollmentNotFound) }
    account.factors = kept
    let used = token.session.secondFactor
    let isUsed = used.map { ExactString(string: $0.id) } == id
    var answer = try tokens(
      for: &account, after: token, secondFactor: rules[.provenFactors] && !isUsed ? used : nil,
      endsSessions: true)
    if rules[.googleAnswers] { answer["expiresIn"] = nil }
    return answer
  }

  /// Issues tokens for an account whose factors have changed.
  private func tokens(
    for account: inout Account, after token: VerifiedIDToken,
    secondFactor: SignInSession.UsedFactor?, endsSessions: Bool
  ) throws(Refusal) -> JSONObject {
    // Claims of the session, such as those of a blocking function, are not continued (measured).
    var session = SignInSession(provider: token.session.provider, authTime: token.session.authTime)
    session.secondFactor = secondFactor
    if rules[.provenFactors] {
      if endsSessions { revokeTokens(of: &account) }
      session.attributes = token.session.attributes
      // The proof of a factor counts as a sign-in (measured).
      session.authTime = now
    }
    return try issueTokens(for: &account, session)
  }

  // MARK: Checks

  /// Refuses a request that names neither kind of factor.
  func requireKind(_ fields: Fields, _ phone: String, _ app: String) throws(Refusal) {
    guard !rules[.googleAnswers] || fields.has(phone) || fields.has(app) else {
      throw .unusableArgument
    }
  }

  /// The caller's verified token; to Google's servers a missing token is an invalid one.
  private func asker(_ fields: Fields) throws(Refusal) -> VerifiedIDToken {
    guard let idToken = fields.text("idToken") else {
      throw Refusal(rules[.googleAnswers] ? .invalidIDToken : .missingIDToken)
    }
    return try verify(idToken: idToken)
  }

  /// Whether a request is about an authenticator app; without support for apps, every request is about a phone.
  func wantsApp(_ fields: Fields, phone: String, app: String) -> Bool {
    rules[.totp] && fields.has(app) && !fields.has(phone)
  }

  private func enrollingToken(_ fields: Fields) throws(Refusal) -> VerifiedIDToken {
    let token = try asker(fields)
    guard !["anonymous", "phone", "custom", "gc.apple.com"].contains(token.session.provider) else {
      throw Refusal(.unsupportedFirstFactor, "MFA is not available for the given first factor.")
    }
    try requireRecentLogin(token)
    return token
  }

  private func requireRoom(for number: String, in account: Account) throws(Refusal) {
    let number = ExactString(string: number)
    let factors = account.factors ?? []
    guard !factors.contains(where: { $0.phoneNumber.map { ExactString(string: $0) } == number })
    else {
      throw Refusal(
        .secondFactorExists,
        "Phone number already enrolled as second factor for this account.")
    }
    try requireRoom(in: account)
  }

  private func requireRoom(in account: Account) throws(Refusal) {
    guard !rules[.provenFactors] || account.factors?.count ?? 0 < SecondFactor.limit else {
      throw Refusal(
        .secondFactorLimitExceeded, "Too many second factors enrolled for this account.")
    }
  }

  // MARK: Authenticator apps

  private func startApp(for account: Account) throws(Refusal) -> JSONObject {
    // Measured: an account with five phones can still start to enroll an app.
    try requireNoApp(in: account)
    let totp = TOTP(secret: TOTP.freshSecret())
    let secret = Secret(Base32.encode(totp.secret.reveal()))
    let session = SecureRandom.token(bytes: 96)
    appEnrollments.put(
      AppEnrollment(uid: account.uid, secret: secret, startedAt: now), under: session,
      expires: now + AppEnrollment.memory, now: now)
    return [
      "totpSessionInfo": [
        "sharedSecretKey": .string(secret.reveal()),
        "verificationCodeLength": .integer(Int64(totp.digits)),
        "hashingAlgorithm": .string(totp.algorithm.rawValue),
        "periodSec": .integer(Int64(totp.period)), "sessionInfo": .string(session),
        "finalizeEnrollmentTime": .string(momentText(secondsAhead: AppEnrollment.lifetime)),
      ]
    ]
  }

  private func requireNoApp(in account: Account) throws(Refusal) {
    if rules[.provenFactors], account.factors?.contains(where: { $0.totpSecret != nil }) == true {
      throw Refusal(
        .secondFactorLimitExceeded,
        "Too many TOTP based second factors enrolled for this account.")
    }
  }

  private func prove(
    _ factor: inout SecondFactor, _ fields: Fields, for account: Account
  ) throws(Refusal) {
    let info = Fields(try fields.object("totpVerificationInfo") ?? [:])
    // The order of the checks is measured: session, name, code.
    guard let session = info.text("sessionInfo"),
      var started = appEnrollments.peek(session, now: now),
      sameText(started.uid, account.uid)
    else { throw Refusal(.invalidSessionInfo) }
    guard !started.isFinished else {
      throw Refusal(.tooManyEnrollmentAttempts, "restart enrollment")
    }
    guard now < started.startedAt + AppEnrollment.lifetime else { throw Refusal(.sessionExpired) }
    guard factor.displayName?.isEmpty == false else {
      throw Refusal(.missingDisplayName, "display name cannot be empty")
    }
    guard let code = info.text("verificationCode") else { throw Refusal(.invalidCode) }
    try requireNoApp(in: account)
    try requireRoom(in: account)
    factor.totpSecret = started.secret
    try use(code, of: &factor, uid: account.uid)
    started.isFinished = true
    appEnrollments.put(
      started, under: session, expires: started.startedAt + AppEnrollment.memory, now: now)
  }

  /// A time as responses about factors contain it; those of Google's servers have microseconds.
  private func momentText(secondsAhead: Int64 = 0) -> String {
    let text = Timestamp.text(milliseconds: nowMilliseconds + secondsAhead * 1000)
    guard rules[.googleAnswers] else { return text }
    // The clock counts milliseconds; the other digits are random.
    return text.dropLast() + SecureRandom.digits(3) + "Z"
  }
}

extension Account {
  func factor(_ id: String?) -> SecondFactor? {
    guard let id = id.map({ ExactString(string: $0) }) else { return nil }
    return factors?.first { ExactString(string: $0.id) == id }
  }

  /// The factor with a phone number, which may be masked.
  ///
  /// The iOS SDK has only the masked number when it requests a code with app verification disabled.
  func factor(ofNumber number: String) -> SecondFactor? {
    let number = ExactString(string: number)
    return factors?.first { factor in
      [factor.phoneNumber, factor.maskedNumber].contains { name in
        name.map { ExactString(string: $0) } == number
      }
    }
  }

  /// Replaces the factor that has the same id.
  mutating func replace(_ factor: SecondFactor) {
    let id = ExactString(string: factor.id)
    factors = factors?.map { ExactString(string: $0.id) == id ? factor : $0 }
  }
}

extension Backend {
  /// The id of a new factor: with Google's servers a UUID.
  func newFactorID() -> String { rules[.googleAnswers] ? SecureRandom.uuid() : newUID() }

  /// The second factors in a request's list.
  ///
  /// Factors of a new account get new ids. A repeated number is dropped. No request can set an authenticator app's
  /// secret, so only apps among `kept` can be named.
  func factors(
    from enrollments: [JSON], areNew: Bool = false, keeping kept: [SecondFactor] = []
  ) throws(Refusal) -> [SecondFactor] {
    var factors: [SecondFactor] = []
    var numbers: Set<ExactString> = []
    var ids: Set<ExactString> = []
    for enrollment in enrollments {
      if rules[.totp], enrollment["totpInfo"] != nil,
        let app = kept.first(where: {
          $0.totpSecret != nil && $0.hasID(enrollment["mfaEnrollmentId"]?.string)
        })
      {
        guard ids.insert(ExactString(string: app.id)).inserted else {
          throw Refusal(.duplicateMFAEnrollmentID)
        }
        factors.append(app)
        continue
      }
      guard !rules[.googleAnswers] || enrollment["totpInfo"] == nil else {
        throw Refusal(.unsupportedSecondFactor, "attempting to add a new TOTP enrollment")
      }
      guard let number = enrollment["phoneInfo"]?.string, number.utf8.first == UInt8(ascii: "+")
      else {
        throw Refusal(
          rules[.googleAnswers] ? .invalidPhoneNumber : .invalidMFAPhoneNumber, "Invalid format.")
      }
      guard numbers.insert(ExactString(string: number)).inserted else { continue }
      var given = areNew ? newFactorID() : enrollment["mfaEnrollmentId"]?.string
      // Measured: an administrator may omit ids.
      if given?.isEmpty != false, rules[.googleAnswers] { given = newFactorID() }
      guard let id = given, !id.isEmpty else {
        throw Refusal(.invalidMFAEnrollmentID, "mfaEnrollmentId must be defined.")
      }
      guard ids.insert(ExactString(string: id)).inserted else {
        throw Refusal(.duplicateMFAEnrollmentID)
      }
      var factor = SecondFactor(id: id, displayName: enrollment["displayName"]?.string)
      factor.enrolledAt = enrollment["enrolledAt"]?.string
      if factor.enrolledAt == nil, rules[.provenFactors] {
        factor.enrolledAt = Timestamp.text(milliseconds: nowMilliseconds)
      }
      factor.phoneNumber = number
      factors.append(factor)
    }
    guard !rules[.provenFactors] || factors.count <= SecondFactor.limit else {
      throw Refusal(.secondFactorLimitExceeded)
    }
    return factors
  }
}
