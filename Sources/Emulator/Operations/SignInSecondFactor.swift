internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts/mfaSignIn:start`: sends a code to the phone of a second factor.
  func startMFASignIn(_ call: Call) throws(Refusal) -> JSONObject {
    let message = try secondFactorMessage(call)
    let sent = sendSMS(
      message.number, for: message.purpose, language: call.caller.language
    ) {
      "To sign in with MFA using \($0), use the code \($1)."
    }
    return ["phoneResponseInfo": ["sessionInfo": .string(sent.sessionInfo)]]
  }

  /// The SMS for the phone of a second factor; refuses it without a pending sign-in.
  func secondFactorMessage(_ call: Call) throws(Refusal) -> TextMessage {
    guard !rules[.googleAnswers] || call.fields.has("phoneSignInInfo") else {
      throw .unusableArgument
    }
    try requireSMSFactors()
    guard let credential = call.fields.text("mfaPendingCredential") else {
      throw Refusal(
        .missingMFAPendingCredential, "Request does not have MFA pending credential.")
    }
    guard let id = call.fields.text("mfaEnrollmentId") else {
      throw Refusal(.missingMFAEnrollmentID, "No second factor identifier is provided.")
    }
    let (account, _) = try pendingSignIn(credential)
    guard let factor = account.factor(id) else { throw Refusal(.mfaEnrollmentNotFound) }
    guard let number = factor.phoneNumber else {
      guard !rules[.googleAnswers] else { throw Refusal(.invalidPhoneNumber, "Invalid format.") }
      throw Self.unsupportedFactor
    }
    try checkRegion(of: number)
    return TextMessage(number: number, purpose: .secondFactor(uid: account.uid))
  }

  /// `accounts/mfaSignIn:finalize`: checks the code of the second factor and returns the tokens.
  func finalizeMFASignIn(_ call: Call) async throws(Refusal) -> JSONObject {
    let fields = call.fields
    try requireKind(fields, "phoneVerificationInfo", "totpVerificationInfo")
    let isApp = wantsApp(fields, phone: "phoneVerificationInfo", app: "totpVerificationInfo")
    if isApp { try requireTOTPFactors() } else { try requireSMSFactors() }
    guard let credential = fields.text("mfaPendingCredential") else {
      guard !rules[.googleAnswers] else { throw .unusableArgument }
      throw Refusal(verbatim: "MISSING_CREDENTIAL : Please set MFA Pending Credential.")
    }
    let (factor, first) =
      isApp ? try proveApp(fields, credential) : try provePhone(fields, credential)
    let (shown, _) = try pendingSignIn(credential)
    // Measured: the code of an app finishes the sign-in of an account that was disabled meanwhile, an SMS code
    // does not.
    let mayBeDisabled = isApp && shown.isDisabled
    guard mayBeDisabled || !shown.isDisabled || !rules[.expiringCodes] else {
      throw Refusal(.userDisabled)
    }
    let answer = try await ask(
      .beforeSignIn, about: shown, first.proved(in: call), secondFactor: factor?.provider ?? "phone"
    )
    // The account may have changed while the function ran.
    var (account, _) = try pendingSignIn(credential)
    if rules[.expiringCodes], account.factor(factor?.id) == nil {
      throw Refusal(.invalidMFAEnrollmentID)
    }
    answer.apply(to: &account)
    account.lastLoginAt = nowMilliseconds
    accounts.save(&account)
    // Firebase's emulator checks only now whether the code was sent to a phone of this account.
    guard let factor = account.factor(factor?.id) else { throw Refusal(.mfaEnrollmentNotFound) }
    var session = SignInSession(provider: first.provider, authTime: now)
    session.extraClaims = answer.sessionClaims
    session.attributes = first.attributes
    session.secondFactor = factor.used
    let tokens = try issueTokens(for: &account, session, evenIfDisabled: mayBeDisabled)
    var ended = JSONObject()
    ended["idToken"] = tokens["idToken"]
    ended["refreshToken"] = tokens["refreshToken"]
    return ended
  }

  private static var unsupportedFactor: Refusal {
    Refusal(.invalidArgument, "MFA provider not supported!")
  }

  private func provePhone(
    _ fields: Fields, _ credential: String
  ) throws(Refusal) -> (SecondFactor?, FirstFactor) {
    guard let info = try fields.object("phoneVerificationInfo") else {
      throw Self.unsupportedFactor
    }
    // With its readable credentials, Firebase's emulator checks the code first.
    let early = rules[.expiringCodes] ? try pendingSignIn(credential) : nil
    let number = try takeNumber(
      Fields(info), for: .secondFactor(uid: early?.0.uid ?? ""))
    let (account, first) = if let early { early } else { try pendingSignIn(credential) }
    let factor = account.factor(ofNumber: number)
    if rules[.expiringCodes], factor == nil { throw Refusal(.invalidMFAEnrollmentID) }
    return (factor, first)
  }

  private func proveApp(
    _ fields: Fields, _ credential: String
  ) throws(Refusal) -> (SecondFactor?, FirstFactor) {
    let info = Fields(try fields.object("totpVerificationInfo") ?? [:])
    guard let id = fields.text("mfaEnrollmentId"), let code = info.text("verificationCode") else {
      throw .unusableArgument
    }
    var (account, first) = try pendingSignIn(credential, isApp: true)
    guard var factor = account.factor(id), factor.totpSecret != nil else {
      throw Refusal(.invalidMFAEnrollmentID)
    }
    try use(code, of: &factor, uid: account.uid)
    account.replace(factor)
    accounts.save(&account)
    return (factor, first)
  }

  /// The number a code was sent to; where codes are bound to a purpose, it must be this one.
  func takeNumber(
    _ info: Fields, for purpose: VerificationCode.Purpose
  ) throws(Refusal) -> String {
    if info.text("androidVerificationProof") != nil {
      throw .notImplemented("androidVerificationProof is unsupported!")
    }
    guard let code = info.text("code") else { throw Refusal(.missingCode) }
    guard let session = info.text("sessionInfo") else { throw Refusal(.missingSessionInfo) }
    return try take(sessionInfo: session, code: code, for: purpose)
  }
}
