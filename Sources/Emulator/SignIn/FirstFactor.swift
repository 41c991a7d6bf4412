internal import System
internal import IdentityToolkit

/// A first factor that has been proved and is to lead to tokens.
struct FirstFactor: Sendable {
  /// The provider that tokens name: `password`, `phone`, or an identity provider's id.
  let provider: String
  /// The sign-in method that functions receive: the provider, or `emailLink` for an e-mail link.
  let method: String
  /// Attributes of a SAML or OIDC response.
  var attributes: JSON?
  /// The provider's profile, as JSON text.
  var rawUserInfo: String?
  /// The provider's tokens, for functions that the project lets see them.
  var tokens = ProviderTokens()
  /// Whether the client did not ask for a refresh token and therefore gets a legacy token.
  var isLegacy = false
  /// The calling app, as functions see it.
  var caller = Caller()
  /// The session that continues, if the factor only adds a sign-in method to the signed-in account.
  var continued: SignInSession?

  static let password = FirstFactor(provider: "password", method: "password")
  static let emailLink = FirstFactor(provider: "password", method: "emailLink")
  static let phone = FirstFactor(provider: "phone", method: "phone")

  init(provider: String, method: String) {
    self.provider = provider
    self.method = method
  }

  /// The same factor, proved by the caller of a request.
  func proved(in call: Call) -> FirstFactor {
    var factor = self
    factor.caller = call.caller
    return factor
  }
}

/// The result of a first factor: tokens, or a request for the second factor.
struct SignedIn {
  let account: Account
  /// `idToken`, `refreshToken` and `expiresIn`, or `mfaPendingCredential` and `mfaInfo`.
  let answer: JSONObject
}

extension Backend {
  /// Creates the account of a first factor that has none yet.
  ///
  /// This needs no second factor. `recheck` refuses what became impossible while the project's functions ran.
  func finishFirstFactor(
    _ factor: FirstFactor, creating fresh: Account,
    recheck: (Account) throws(Refusal) -> Void
  ) async throws(Refusal) -> SignedIn {
    var account = fresh
    try await ask(.beforeCreate, about: account, factor).apply(to: &account)
    try recheck(account)
    // Measured: the account stays when `beforeSignIn` refuses or disables it, and counts as signed in once.
    if rules[.strictFunctions] { account.lastRefreshAt = nowMilliseconds }
    add(&account)
    var claims = JSONObject()
    if !account.isDisabled {
      account.updateProviders()
      let answer = try await ask(.beforeSignIn, about: account, factor)
      guard let kept = accounts[uid: account.uid] else { throw Refusal(.userNotFound) }
      account = kept
      answer.apply(to: &account)
      claims = answer.sessionClaims
    }
    accounts.save(&account)
    return SignedIn(account: account, answer: try tokens(for: &account, factor, claims))
  }

  /// Signs in to an existing account, or asks for its second factor.
  ///
  /// `shown` is the account as the project's function receives it. `change` applies the first factor to the
  /// account as it is once the function has returned.
  func finishFirstFactor(
    _ factor: FirstFactor, of shown: Account,
    change: (inout Account) throws(Refusal) -> Void = { (_) throws(Refusal) in }
  ) async throws(Refusal) -> SignedIn {
    let isAsked = factor.continued == nil && asksSecondFactor(of: shown)
    var answer = FunctionAnswer()
    if !isAsked, !shown.isDisabled, factor.continued == nil {
      answer = try await ask(.beforeSignIn, about: shown, factor)
    }
    // Measured: if the function disables the account, nothing is stored, so the sign-in works
    // again without the function.
    guard !answer.disables || !rules[.strictFunctions] else { throw Refusal(.userDisabled) }
    guard var account = accounts[uid: shown.uid] else { throw Refusal(.userNotFound) }
    // Firebase's emulator checks for a disabled account only after everything else is done and stored.
    guard !account.isDisabled || !rules[.realProviders] else { throw Refusal(.userDisabled) }
    try change(&account)
    answer.apply(to: &account)
    if isAsked {
      accounts.save(&account)
      return SignedIn(account: account, answer: pendingAnswer(for: account, factor))
    }
    return SignedIn(
      account: account, answer: try tokens(for: &account, factor, answer.sessionClaims))
  }

  private func tokens(
    for account: inout Account, _ factor: FirstFactor, _ claims: JSONObject
  ) throws(Refusal) -> JSONObject {
    if let earlier = factor.continued {
      // Linking is not a new sign-in: it proves who the user is at another provider, not here.
      accounts.save(&account)
      var session = SignInSession(continuing: earlier, provider: factor.provider)
      session.attributes = factor.attributes
      return try issueTokens(for: &account, session)
    }
    // An e-mail link counts as a login only when tokens are issued, any other factor as soon as it is proved.
    if factor.method != "emailLink" { account.lastLoginAt = nowMilliseconds }
    accounts.save(&account)
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    account.lastLoginAt = nowMilliseconds
    var session = SignInSession(provider: factor.provider, authTime: now)
    session.extraClaims = claims
    session.attributes = factor.attributes
    return try issueTokens(for: &account, session, isLegacy: factor.isLegacy)
  }
}
