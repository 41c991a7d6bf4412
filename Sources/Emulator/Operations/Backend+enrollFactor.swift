internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// `accounts/mfaEnrollment:start`: a code for a telephone, or a secret for an authenticator app.
  func startMFAEnrollment(_ call: Call) throws(Refusal) -> JSONObject {
    let isApp = wantsApp(call.fields, phone: "phoneEnrollmentInfo", app: "totpEnrollmentInfo")
    if isApp { try requireTOTPFactors() } else { try requireSMSFactors() }
    let token = try enrollingToken(call.fields)
    guard token.account.isEmailVerified else {
      throw Refusal(
        .unverifiedEmail, "Need to verify email first before enrolling second factors.")
    }
    if isApp { return try startApp(for: token.account) }
    guard let info = try call.fields.object("phoneEnrollmentInfo") else {
      throw Refusal(.invalidArgument, "((Missing phoneEnrollmentInfo.))")
    }
    let number = Fields(info).text("phoneNumber") ?? ""
    try checkFormat(ofNumber: number)
    try requireRoom(for: number, in: token.account)
    try checkRegion(of: number)
    let sent = sendSMS(number, for: .enrollment(uid: token.account.uid)) {
      "To enroll MFA with \($0), use the code \($1)."
    }
    return ["phoneSessionInfo": ["sessionInfo": .string(sent.sessionInfo)]]
  }

  /// `accounts/mfaEnrollment:finalize`: the code that proves the new factor.
  func finalizeMFAEnrollment(_ call: Call) throws(Refusal) -> JSONObject {
    let fields = call.fields
    let isApp = wantsApp(fields, phone: "phoneVerificationInfo", app: "totpVerificationInfo")
    if isApp { try requireTOTPFactors() } else { try requireSMSFactors() }
    let token = try enrollingToken(fields)
    var factor = SecondFactor(id: newUID(), displayName: try fields.string("displayName"))
    factor.enrolledAt = Timestamp.text(milliseconds: nowMilliseconds)
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
    var session = continued(token)
    session.secondFactor = factor.used
    let tokens = try issueTokens(for: &account, session)
    var answer = JSONObject()
    answer["idToken"] = tokens["idToken"]
    answer["refreshToken"] = tokens["refreshToken"]
    if isApp { answer["totpAuthInfo"] = [:] }
    return answer
  }

  /// `accounts/mfaEnrollment:withdraw`.
  func withdrawMFA(_ call: Call) throws(Refusal) -> JSONObject {
    guard let idToken = call.fields.text("idToken") else { throw Refusal(.missingIDToken) }
    let token = try verify(idToken: idToken)
    try requireRecentLogin(token)
    var account = token.account
    let id = ExactString(string: call.fields.text("mfaEnrollmentId") ?? "")
    let kept = (account.factors ?? []).filter { ExactString(string: $0.id) != id }
    guard kept.count < account.factors?.count ?? 0 else { throw Refusal(.mfaEnrollmentNotFound) }
    account.factors = kept
    var session = continued(token)
    let used = token.session.secondFactor
    let isUsed = used.map { ExactString(string: $0.id) } == id
    session.secondFactor = rules[.provenFactors] && !isUsed ? used : nil
    return try issueTokens(for: &account, session)
  }

  // MARK: Checks

  /// Whether a request is about an authenticator app; where there are none, it is about a telephone.
  func wantsApp(_ fields: Fields, phone: String, app: String) -> Bool {
    rules[.totp] && fields.has(app) && !fields.has(phone)
  }

  private func enrollingToken(_ fields: Fields) throws(Refusal) -> VerifiedToken {
    guard let idToken = fields.text("idToken") else { throw Refusal(.missingIDToken) }
    let token = try verify(idToken: idToken)
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
      throw Refusal(.secondFactorLimitExceeded)
    }
  }

  /// The session of a token; in Firebase's emulator only its provider lives on.
  private func continued(_ token: VerifiedToken) -> SignInSession {
    guard !rules[.revocableSessions] else { return token.session }
    return SignInSession(provider: token.session.provider, authTime: token.session.authTime)
  }

  // MARK: Authenticator apps

  private func startApp(for account: Account) throws(Refusal) -> JSONObject {
    try requireNoApp(in: account)
    let totp = TOTP(secret: TOTP.freshSecret())
    let secret = Secret(Base32.encode(totp.secret.reveal()))
    let session = SecureRandom.token(bytes: 96)
    let end = now + AppEnrollment.lifetime
    appEnrollments.put(
      AppEnrollment(uid: account.uid, secret: secret), under: session, expires: end, now: now)
    return [
      "totpSessionInfo": [
        "sharedSecretKey": .string(secret.reveal()),
        "verificationCodeLength": .integer(Int64(totp.digits)),
        "hashingAlgorithm": .string(totp.algorithm.rawValue),
        "periodSec": .integer(Int64(totp.period)), "sessionInfo": .string(session),
        "finalizeEnrollmentTime": .string(Timestamp.text(milliseconds: end * 1000)),
      ]
    ]
  }

  private func requireNoApp(in account: Account) throws(Refusal) {
    if rules[.provenFactors], account.factors?.contains(where: { $0.totpSecret != nil }) == true {
      throw Refusal(
        .secondFactorExists, "TOTP already enrolled as second factor for this account.")
    }
    try requireRoom(in: account)
  }

  private func prove(
    _ factor: inout SecondFactor, _ fields: Fields, for account: Account
  ) throws(Refusal) {
    let info = Fields(try fields.object("totpVerificationInfo") ?? [:])
    guard let code = info.text("verificationCode") else { throw Refusal(.missingCode) }
    guard let session = info.text("sessionInfo") else { throw Refusal(.missingSessionInfo) }
    guard let started = appEnrollments.peek(session, now: now),
      ExactString(string: started.uid) == ExactString(string: account.uid)
    else { throw Refusal(.invalidSessionInfo) }
    try requireNoApp(in: account)
    factor.totpSecret = started.secret
    try use(code, of: &factor, uid: account.uid)
    _ = appEnrollments.take(session, now: now)
  }
}
