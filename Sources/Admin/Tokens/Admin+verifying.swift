public import Encoding
import IdentityToolkit

extension Admin {
  /// What an ID token says, when the backend issued it for this project and tenant and it is still good.
  ///
  /// Asked to, it also looks whether the person's account is there, enabled, and has not ended its sessions
  /// since; that is one call of the backend.
  public func verifyIDToken(
    _ token: Secret, checkRevoked: Bool = false
  ) async throws(AdminError) -> VerifiedToken {
    try await verify(token, as: .idToken, checkRevoked)
  }

  /// What a session cookie says, by the rules of `verifyIDToken`.
  public func verifySessionCookie(
    _ cookie: Secret, checkRevoked: Bool = false
  ) async throws(AdminError) -> VerifiedToken {
    try await verify(cookie, as: .sessionCookie, checkRevoked)
  }

  private func verify(
    _ token: Secret, as kind: TokenKind, _ checkRevoked: Bool
  ) async throws(AdminError) -> VerifiedToken {
    let verified = try await verifier.verify(token, as: kind, tenantID: tenantID, now: clock.now)
    guard checkRevoked else { return verified }
    // The project's administrator gets tokens of all tenants, whose accounts are not the project's.
    let tenant = verified.claims["firebase"]?["tenant"]?.string
    let owner = if tenantID == nil, let tenant { try forTenant(tenant) } else { self }
    let user = try await owner.getUser(verified.uid)
    guard !user.isDisabled else {
      throw AdminError(
        .userDisabled, "the account of this \(kind.noun) is disabled",
        hint: "turn the person away, or enable the account with admin:updateUser")
    }
    if let since = user.tokensValidAfterTime, verified.authTime < since / 1000 {
      throw AdminError(kind.revoked)
    }
    return verified
  }

  /// A cookie with what an ID token says, which is good for `lifetime` seconds.
  public func createSessionCookie(
    idToken: Secret, lifetime: Int64
  ) async throws(AdminError) -> Secret {
    guard (300...1_209_600).contains(lifetime) else {
      throw AdminError(.invalidSessionCookieDuration)
    }
    let answer = try await call(
      AdminRequest(
        ":createSessionCookie",
        ["idToken": .string(idToken.reveal()), "validDuration": .string(String(lifetime))]))
    guard let cookie = answer["sessionCookie"]?.string else {
      throw AdminError(.internalError, "the backend's answer has no session cookie")
    }
    return Secret(cookie)
  }
}
