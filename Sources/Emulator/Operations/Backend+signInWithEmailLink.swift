internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `accounts:signInWithEmailLink`: signs in with the code of a link; with an `idToken`, gives the account
  /// that is signed in the address the link went to.
  func signInWithEmailLink(_ call: Call) async throws(Refusal) -> JSONObject {
    let fields = call.fields
    guard allowsEmailLinks else { throw Refusal(.operationNotAllowed) }
    let asker = try fields.text("idToken").map { (token) throws(Refusal) in
      try verify(idToken: token)
    }
    guard let email = fields.text("email") else { throw Refusal(.missingEmail) }
    let address = try addressee(email)
    guard let text = fields.text("oobCode") else { throw Refusal(.missingOOBCode) }
    let code = try liveCode(text)
    guard code.purpose == .emailSignIn else { throw Refusal(.invalidOOBCode) }
    guard ExactString(string: code.email) == ExactString(string: address) else {
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
      if asker != nil, let owner, ExactString(string: owner.uid) != ExactString(string: known.uid) {
        throw Refusal(.emailExists)
      }
    }
    let isNew = asker == nil && owner == nil
    var account = asker?.account ?? owner ?? Account(uid: newUID(), now: nowMilliseconds)
    if !isNew { prove(address, of: &account) }
    account.email = address
    account.emailVerified = true
    account.hasEmailLink = true
    let tokens = try signIn(&account, linkingFrom: asker, provider: "password")
    var answer: JSONObject = ["kind": "identitytoolkit#EmailLinkSigninResponse"]
    answer["email"] = .string(address)
    answer["localId"] = .string(account.uid)
    answer["isNewUser"] = .bool(isNew)
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }

  /// If nobody had proved to own the address before, whoever made the account may be somebody else.
  private func prove(_ address: String, of account: inout Account) {
    guard rules[.realProviders], !account.isEmailVerified,
      account.email.map({ ExactString(string: $0) }) == ExactString(string: address)
    else { return }
    account.password = nil
    account.removeIdentities { !$0.isTrusted }
    revokeTokens(of: &account)
  }

  /// Signs in, or goes on with the session of an account that has just got one more way to sign in.
  func signIn(
    _ account: inout Account, linkingFrom asker: VerifiedToken?, provider: String
  ) throws(Refusal) -> JSONObject {
    // The token lists the ways to sign in, the new one included.
    account.updateProviders()
    guard let asker, rules[.revocableSessions] else {
      return try signIn(&account, provider: provider)
    }
    return try signIn(
      &account, provider: provider, authTime: asker.session.authTime,
      extraClaims: asker.session.extraClaims)
  }
}
