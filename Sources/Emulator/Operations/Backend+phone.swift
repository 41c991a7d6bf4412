internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// `accounts:sendVerificationCode`: a code by SMS.
  func sendVerificationCode(_ call: Call) throws(Refusal) -> JSONObject {
    ["sessionInfo": .string(sendSMS(try signInMessage(call).number).sessionInfo)]
  }

  /// The code that signs in by phone, if it may be sent.
  func signInMessage(_ call: Call) throws(Refusal) -> TextMessage {
    guard tenantID == nil else { throw Refusal(.unsupportedTenantOperation) }
    guard allowsPhone else { throw Refusal(.operationNotAllowed) }
    // A number that is missing is as invalid as one of another form.
    let number = try normalized(number: call.fields.text("phoneNumber") ?? "")
    if let owner = accounts[phone: number] { try checkFactors(of: owner) }
    // Measured: nobody new may even ask for a code where only administrators make accounts.
    guard
      !rules[.projectSettings] || accounts[phone: number] != nil || permits("disabledUserSignup")
    else { throw Refusal(.adminOnlyOperation) }
    if testCode(of: number) == nil { try requireCaptcha(call.fields, for: .phone) }
    try checkRegion(of: number)
    return TextMessage(number: number, purpose: .signIn)
  }

  /// `accounts:signInWithPhoneNumber`: signs in with a code or a temporary proof; with an `idToken`, gives the
  /// account that is signed in the number.
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
      ExactString(string: owner.uid) != ExactString(string: asker.account.uid)
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
    // Firebase's emulator tells of this very sign-in as the last one.
    if !rules[.strictFunctions] { shown.lastLoginAt = nowMilliseconds }
    return try await finishFirstFactor(factor, of: shown) { (account) throws(Refusal) in
      try requireNoOther(accounts[phone: number], than: account, .phoneNumberExists)
      account.phoneNumber = number
    }
  }

  /// The number that the request proves somebody answers at; a code is used up with it, a proof is not (measured).
  private func provenNumber(_ fields: Fields) throws(Refusal) -> String {
    guard let proof = fields.text("temporaryProof") else {
      guard let session = fields.text("sessionInfo") else { throw Refusal(.missingSessionInfo) }
      guard let code = fields.text("code") else { throw Refusal(.missingCode) }
      return try take(sessionInfo: session, code: code)
    }
    guard let given = fields.text("phoneNumber") else { throw Refusal(.missingPhoneNumber) }
    let number = (try? normalized(number: given)) ?? given
    guard let found = proofs[proof],
      ExactString(string: found.phoneNumber) == ExactString(string: number)
    else { throw Refusal(.invalidTemporaryProof) }
    guard !rules[.expiringCodes] || now < found.createdAt + TemporaryProof.lifetime else {
      throw Refusal(.invalidTemporaryProof)
    }
    return number
  }

  /// The number is another account's: the person may sign in there without a second SMS.
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

  /// Refuses what the operation does not allow: a first sign-in to reauthenticate, and a new number for an
  /// account without a recent sign-in.
  private func check(
    _ operation: String?, _ asker: VerifiedToken?, knows isKnown: Bool
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
