internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// Makes an account by a first factor that belongs to none yet.
  ///
  /// Nobody can have a second factor for it. `recheck` refuses what has become impossible while the
  /// project's functions were asked.
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

  /// Signs in to an account that exists, or asks for its second factor.
  ///
  /// `shown` is what the project's function hears of the account. `change` is what the first factor
  /// does to it; it meets the account as it is when the function has answered.
  func finishFirstFactor(
    _ factor: FirstFactor, of shown: Account,
    change: (inout Account) throws(Refusal) -> Void = { (_) throws(Refusal) in }
  ) async throws(Refusal) -> SignedIn {
    let isAsked = factor.continued == nil && asksSecondFactor(of: shown)
    var answer = FunctionAnswer()
    if !isAsked, !shown.isDisabled, factor.continued == nil {
      answer = try await ask(.beforeSignIn, about: shown, factor)
    }
    // Measured: nothing is stored then, so that the sign-in works again without the function.
    guard !answer.disables || !rules[.strictFunctions] else { throw Refusal(.userDisabled) }
    guard var account = accounts[uid: shown.uid] else { throw Refusal(.userNotFound) }
    // Firebase's emulator looks whether the account is disabled when all else is done and kept.
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
      // Linking proves who the person is elsewhere, not here: it is no new sign-in.
      accounts.save(&account)
      var session = SignInSession(continuing: earlier, provider: factor.provider)
      session.attributes = factor.attributes
      return try issueTokens(for: &account, session)
    }
    // A link counts as a login only when it leads to tokens, everything else when it was proved.
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
