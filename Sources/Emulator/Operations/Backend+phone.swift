internal import System
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// `accounts:sendVerificationCode`: sends a code by SMS.
  func sendVerificationCode(_ call: Call) throws(Refusal) -> JSONObject {
    ["sessionInfo": .string(sendSMS(try signInMessage(call).number).sessionInfo)]
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
      ExactString(string: found.phoneNumber) == ExactString(string: number)
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
