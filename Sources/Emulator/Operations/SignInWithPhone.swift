internal import System
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// `accounts:sendVerificationCode`: sends a code by SMS.
  func sendVerificationCode(_ call: Call) throws(Refusal) -> JSONObject {
    let sent = sendSMS(try signInMessage(call).number, language: call.caller.language)
    return ["sessionInfo": .string(sent.sessionInfo)]
  }

  /// The SMS for a sign-in by phone; refuses one that may not be sent.
  func signInMessage(_ call: Call) throws(Refusal) -> TextMessage {
    guard tenantID == nil else { throw Refusal(.unsupportedTenantOperation) }
    guard allowsPhone else { throw Refusal(.operationNotAllowed) }
    // A missing number gives the same error as an invalid one.
    let number = try normalized(number: call.fields.text("phoneNumber") ?? "")
    if let owner = accounts[phone: number] { try checkFactors(of: owner) }
    // Measured: where only administrators create accounts, no code is sent to a new number.
    guard
      !rules[.projectSettings] || accounts[phone: number] != nil || permits("disabledUserSignup")
    else { throw Refusal(.adminOnlyOperation) }
    if testCode(of: number) == nil { try requireCaptcha(call.fields, for: .phone) }
    try checkRegion(of: number)
    return TextMessage(number: number, purpose: .signIn)
  }

  /// `accounts:signInWithPhoneNumber`: signs in with a code or a temporary proof; with an `idToken`,
  /// adds the number to the signed-in account.
  func signInWithPhoneNumber(_ call: Call) async throws(Refusal) -> JSONObject {
    guard tenantID == nil else { throw Refusal(.unsupportedTenantOperation) }
    guard allowsPhone else { throw Refusal(.operationNotAllowed) }
    let fields = call.fields
    let number = try provenNumber(fields)
    let owner = accounts[phone: number]
    let asker = try idToken(of: fields).map { (token) throws(Refusal) in
      try verify(idToken: token)
    }
    if let owner, let asker,
      !sameText(owner.uid, asker.account.uid)
    {
      guard fields.text("temporaryProof") == nil else { throw Refusal(.phoneNumberExists) }
      return makeProof(of: number)
    }
    try check(fields.text("operation"), asker, knows: owner != nil)
    let known = asker?.account ?? owner
    if known == nil { try requireOpenSignUp() }
    if let known {
      guard !known.isDisabled else { throw Refusal(.userDisabled) }
      try checkFactors(of: known)
    }
    let factor = FirstFactor(.phone.proved(in: call), continuing: asker, rules)
    let ended = try await finish(number, factor, known)
    var answer: JSONObject = [
      "isNewUser": .bool(known == nil), "phoneNumber": .string(number),
      "localId": .string(ended.account.uid),
    ]
    for (name, value) in ended.answer.entries { answer[name] = value }
    return answer
  }

  private func finish(
    _ number: String, _ factor: FirstFactor, _ known: Account?
  ) async throws(Refusal) -> SignedIn {
    guard var shown = known else {
      var fresh = Account(uid: newUID(), now: nowMilliseconds)
      fresh.phoneNumber = number
      return try await finishFirstFactor(factor, creating: fresh) { (_) throws(Refusal) in
        guard accounts[phone: number] == nil else { throw Refusal(.phoneNumberExists) }
      }
    }
    shown.phoneNumber = number
    // In Firebase's emulator functions see this sign-in as the last one.
    if !rules[.strictFunctions] { shown.lastLoginAt = nowMilliseconds }
    return try await finishFirstFactor(factor, of: shown) { (account) throws(Refusal) in
      try requireNoOther(accounts[phone: number], than: account, .phoneNumberExists)
      account.phoneNumber = number
    }
  }

  /// The number that the request's code or proof was made for; a code is used up, a proof is not (measured).
  private func provenNumber(_ fields: Fields) throws(Refusal) -> String {
    guard let proof = fields.text("temporaryProof") else {
      guard let session = fields.text("sessionInfo") else { throw Refusal(.missingSessionInfo) }
      guard let code = fields.text("code") else { throw Refusal(.missingCode) }
      return try take(sessionInfo: session, code: code)
    }
    guard let given = fields.text("phoneNumber") else { throw Refusal(.missingPhoneNumber) }
    let number = (try? normalized(number: given)) ?? given
    guard let found = proofs[proof],
      sameText(found.phoneNumber, number)
    else { throw Refusal(.invalidTemporaryProof) }
    guard !rules[.expiringCodes] || now < found.createdAt + TemporaryProof.lifetime else {
      throw Refusal(.invalidTemporaryProof)
    }
    return number
  }

  /// Makes a proof of a number that another account has, with which the user can sign in there without a second SMS.
  private func makeProof(of number: String) -> JSONObject {
    if rules[.expiringCodes] {
      let now = now
      proofs.sweep { now >= $0.createdAt + TemporaryProof.lifetime }
    }
    // 89 bytes make the 119 characters that Firebase's emulator sends.
    let proof = SecureRandom.token(bytes: 89)
    proofs.put(TemporaryProof(phoneNumber: number, createdAt: now), under: proof)
    return [
      "phoneNumber": .string(number), "temporaryProof": .string(proof),
      "temporaryProofExpiresIn": .string(String(TemporaryProof.lifetime)),
    ]
  }

  /// Refuses what the operation does not allow: to reauthenticate with an unknown number, to link or update without an
  /// ID token, and to change a number without a recent sign-in.
  private func check(
    _ operation: String?, _ asker: VerifiedIDToken?, knows isKnown: Bool
  ) throws(Refusal) {
    guard rules[.recentLogin] else { return }
    if operation == "REAUTH", !isKnown { throw Refusal(.userNotFound) }
    if operation == "UPDATE" || operation == "LINK", asker == nil { throw Refusal(.missingIDToken) }
    if let asker, asker.account.phoneNumber != nil { try requireRecentLogin(asker) }
  }

  private func checkFactors(of account: Account) throws(Refusal) {
    guard account.factors?.isEmpty ?? true else {
      throw Refusal(
        .unsupportedFirstFactor,
        "A phone number cannot be set as a first factor on an SMS based MFA user.")
    }
  }
}

/// An SMS with a code that a request asks for.
struct TextMessage {
  let number: String
  let purpose: VerificationCode.Purpose

  /// The purpose as functions receive it.
  var kind: String {
    switch purpose {
    case .signIn: "SIGN_IN_OR_SIGN_UP"
    case .enrollment: "MULTI_FACTOR_ENROLLMENT"
    case .secondFactor: "MULTI_FACTOR_SIGN_IN"
    }
  }
}

extension Backend {
  /// Sends the code that a request asks for, without calling the project's function.
  func sendSMS(_ call: Call) throws(Refusal) -> JSONObject {
    switch call.operation {
    case .startMFAEnrollment: try startMFAEnrollment(call)
    case .startMFASignIn: try startMFASignIn(call)
    default: try sendVerificationCode(call)
    }
  }

  /// Does the same, if the project's function allows it; test numbers do not call the function (measured).
  func sendSMSIfAllowed(_ call: Call) async throws(Refusal) -> JSONObject {
    if let message = try textMessage(of: call), testCode(of: message.number) == nil {
      _ = try await askAboutMessage(
        .beforeSendSms,
        ["phone_number": .string(message.number), "sms_type": .string(message.kind)], call.caller)
    }
    return try sendSMS(call)
  }

  /// The message that a request asks for; nil for an authenticator app.
  private func textMessage(of call: Call) throws(Refusal) -> TextMessage? {
    switch call.operation {
    case .startMFAEnrollment: try enrollmentMessage(call).message
    case .startMFASignIn: try secondFactorMessage(call)
    default: try signInMessage(call)
    }
  }

  /// How long an SMS code is valid where codes expire, in seconds.
  static let verificationCodeLifetime: Int64 = 600
  /// How long a code to enroll a phone as a second factor is valid, in seconds (measured with test numbers: 1800 pass).
  static let enrollmentCodeLifetime: Int64 = 1800
  /// How many wrong codes a session allows where codes expire.
  static let wrongCodesAllowed = 5

  private static func lifetime(of purpose: VerificationCode.Purpose) -> Int64 {
    if case .enrollment = purpose { enrollmentCodeLifetime } else { verificationCodeLifetime - 1 }
  }

  /// Creates a code for a number and sends it.
  func sendSMS(
    _ number: String, for purpose: VerificationCode.Purpose = .signIn, language: String?,
    notice: (String, String) -> String = { "To verify the phone number \($0), use the code \($1)." }
  ) -> VerificationCode {
    let made = VerificationCode(
      code: testCode(of: number) ?? SecureRandom.digits(6), phoneNumber: number,
      // 169 bytes make the 226 characters that Firebase's emulator sends.
      sessionInfo: SecureRandom.token(bytes: 169), purpose: purpose, createdAt: now)
    if rules[.expiringCodes] {
      let dayAgo = now - 86_400
      verifications.sweep { $0.createdAt < dayAgo }
    }
    verifications.put(made, under: made.sessionInfo)
    context.notices?(notice(Self.printable(number), made.code))
    deliver(made, language: language)
    return made
  }

  /// Refuses a number in a country that the project sends no SMS to.
  func checkRegion(of number: String) throws(Refusal) {
    guard !rules[.projectSettings] || smsRegions.allow(number) else {
      throw Refusal(
        .operationNotAllowed,
        "SMS unable to be sent until this region enabled by the app developer.")
    }
  }

  /// Uses up a code and returns the number it was sent to.
  ///
  /// After a wrong code the right one stays valid, but where codes expire only until there are too many wrong ones.
  /// Firebase's emulator does not check what the code was sent for.
  func take(
    sessionInfo: String, code: String, for purpose: VerificationCode.Purpose = .signIn
  ) throws(Refusal) -> String {
    let expires = rules[.expiringCodes]
    guard var sent = verifications[sessionInfo], !expires || sent.purpose == purpose else {
      throw Refusal(.invalidSessionInfo)
    }
    if expires {
      // Measured: the code of a second factor can finish a sign-in more than once.
      let isSpent = sent.isUsed && purpose == .signIn
      guard !isSpent, sent.wrongTries < Self.wrongCodesAllowed,
        now <= sent.createdAt + Self.lifetime(of: purpose)
      else { throw Refusal(.sessionExpired) }
    }
    guard constantTimeEqual(sent.code, code) else {
      if expires {
        sent.wrongTries += 1
        verifications.put(sent, under: sessionInfo)
      }
      throw Refusal(.invalidCode)
    }
    if expires {
      sent.isUsed = true
      verifications.put(sent, under: sessionInfo)
    } else {
      verifications.remove(sessionInfo)
    }
    return sent.phoneNumber
  }
}

/// A code sent by SMS, for a first or a second factor.
struct VerificationCode: Sendable {
  enum Purpose: Sendable, Equatable {
    /// Proves the number as a first factor.
    case signIn
    /// Proves the number as a new second factor of an account.
    case enrollment(uid: String)
    /// Proves the number as a second factor that the account has.
    case secondFactor(uid: String)
  }

  let code: String
  let phoneNumber: String
  /// The client sends it back with the code.
  let sessionInfo: String
  let purpose: Purpose
  /// Seconds since 1970.
  let createdAt: Int64
  var wrongTries = 0
  /// Whether the code was used; such a code is kept only where its session then counts as expired.
  var isUsed = false

  /// The entry in the emulator's list of SMS codes.
  var wire: JSON {
    [
      "code": .string(code), "phoneNumber": .string(phoneNumber),
      "sessionInfo": .string(sessionInfo),
    ]
  }
}

extension VerificationCode: Recorded {
  var record: JSONObject {
    var record: JSONObject = [
      "code": .string(code), "phoneNumber": .string(phoneNumber),
      "sessionInfo": .string(sessionInfo), "createdAt": .integer(createdAt),
    ]
    switch purpose {
    case .signIn: break
    case .enrollment(let uid): record["enrollmentOf"] = .string(uid)
    case .secondFactor(let uid): record["secondFactorOf"] = .string(uid)
    }
    if wrongTries != 0 { record["wrongTries"] = .integer(Int64(wrongTries)) }
    record.flag("used", isUsed)
    return record
  }

  init?(record: JSONObject) {
    guard let code = record["code"]?.string, let phoneNumber = record["phoneNumber"]?.string,
      let sessionInfo = record["sessionInfo"]?.string,
      let createdAt = record["createdAt"]?.integer
    else { return nil }
    let purpose: Purpose =
      if let uid = record["enrollmentOf"]?.string {
        .enrollment(uid: uid)
      } else if let uid = record["secondFactorOf"]?.string {
        .secondFactor(uid: uid)
      } else {
        .signIn
      }
    self.init(
      code: code, phoneNumber: phoneNumber, sessionInfo: sessionInfo, purpose: purpose,
      createdAt: createdAt)
    wrongTries = Int(record["wrongTries"]?.integer ?? 0)
    isUsed = record["used"]?.bool == true
  }
}

/// Proof that the user has just entered the code sent to a phone number that another account has.
struct TemporaryProof: Sendable {
  /// How long the proof is valid, in seconds.
  static let lifetime: Int64 = 3600

  let phoneNumber: String
  /// Seconds since 1970.
  let createdAt: Int64
}

extension TemporaryProof: Recorded {
  var record: JSONObject {
    ["phoneNumber": .string(phoneNumber), "createdAt": .integer(createdAt)]
  }

  init?(record: JSONObject) {
    guard let phoneNumber = record["phoneNumber"]?.string,
      let createdAt = record["createdAt"]?.integer
    else { return nil }
    self.init(phoneNumber: phoneNumber, createdAt: createdAt)
  }
}
