internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:signInWithEmailLink`: signs in with the code of a link; with an `idToken`, adds
  /// the link's address to the signed-in account.
  func signInWithEmailLink(_ call: Call) async throws(Refusal) -> JSONObject {
    let fields = call.fields
    guard allowsEmailLinks else { throw Refusal(.operationNotAllowed) }
    let asker = try idToken(of: fields).map { (token) throws(Refusal) in
      try verify(idToken: token)
    }
    guard let email = fields.text("email") else { throw Refusal(.missingEmail) }
    let address = try addressee(email)
    guard let text = fields.text("oobCode") else { throw Refusal(.missingOOBCode) }
    let code = try liveCode(text)
    guard code.purpose == .emailSignIn else { throw Refusal(.invalidOOBCode) }
    guard sameText(code.email, address) else {
      throw Refusal(
        .invalidEmail, "The email provided does not match the sign-in email address.")
    }
    let owner = accounts[email: address]
    if let asker, rules[.recentLogin], !asker.account.isAnonymous {
      try requireRecentLogin(asker)
    }
    if asker == nil, owner == nil { try requireOpenSignUp() }
    codes.remove(text)
    if let known = asker?.account ?? owner {
      guard !known.isDisabled else { throw Refusal(.userDisabled) }
      if asker != nil, let owner, !sameText(owner.uid, known.uid) {
        throw Refusal(.emailExists)
      }
    }
    let factor = FirstFactor(.emailLink.proved(in: call), continuing: asker, rules)
    let ended = try await finish(address, factor, asker, owner)
    var answer: JSONObject = ["kind": "identitytoolkit#EmailLinkSigninResponse"]
    answer["email"] = .string(address)
    answer["localId"] = .string(ended.account.uid)
    answer["isNewUser"] = .bool(asker == nil && owner == nil)
    for (name, value) in ended.answer.entries { answer[name] = value }
    // Measured: the response lacks the field while the second factor is pending.
    if rules[.googleAnswers], answer["mfaPendingCredential"] != nil { answer["isNewUser"] = nil }
    return answer
  }

  private func finish(
    _ address: String, _ factor: FirstFactor, _ asker: VerifiedIDToken?, _ owner: Account?
  ) async throws(Refusal) -> SignedIn {
    guard let known = asker?.account ?? owner else {
      // `lastLoginAt` stays unset until the functions agree.
      var fresh = Account(uid: newUID())
      fresh.createdAt = nowMilliseconds
      if rules[.googleAnswers] { beginSessions(of: &fresh) }
      Self.give(address, to: &fresh)
      return try await finishFirstFactor(factor, creating: fresh) { (_) throws(Refusal) in
        guard accounts[email: address] == nil else { throw Refusal(.emailExists) }
      }
    }
    var shown = known
    Self.give(address, to: &shown)
    return try await finishFirstFactor(factor, of: shown) { (account) throws(Refusal) in
      try requireNoOther(accounts[email: address], than: account, .emailExists)
      prove(address, of: &account)
      Self.give(address, to: &account)
    }
  }

  private static func give(_ address: String, to account: inout Account) {
    account.email = address
    account.emailVerified = true
    account.hasEmailLink = true
  }

  /// Secures an account whose address is proved for the first time.
  ///
  /// Somebody else may have created the account, so its password, untrusted identities and sessions are removed.
  private func prove(_ address: String, of account: inout Account) {
    guard rules[.realProviders], !account.isEmailVerified,
      sameText(account.email, address)
    else { return }
    account.password = nil
    account.removeIdentities { !$0.isTrusted }
    revokeTokens(of: &account)
  }

  /// Refuses if another account got the address or number while the project's functions ran.
  func requireNoOther(
    _ holder: Account?, than account: Account, _ error: ServerError
  ) throws(Refusal) {
    guard let holder else { return }
    guard sameText(holder.uid, account.uid) else {
      throw Refusal(error)
    }
  }
}

extension FirstFactor {
  /// The factor, which continues the caller's session if there is one and the rules allow it.
  init(_ factor: FirstFactor, continuing asker: VerifiedIDToken?, _ rules: Rules) {
    self = factor
    if rules[.revocableSessions] { continued = asker?.session }
  }
}
