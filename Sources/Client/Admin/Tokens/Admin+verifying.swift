public import System
import IdentityToolkit

extension Admin {
  /// Verifies an ID token: issued by the backend for this project and tenant, and still valid.
  ///
  /// With `checkRevoked`, also calls the backend to check that the account exists, is enabled, and
  /// has not revoked its sessions since.
  public func verifyIDToken(
    _ token: Secret, checkRevoked: Bool = false
  ) async throws(AdminError) -> VerifiedToken {
    try await verify(token, as: .idToken, checkRevoked)
  }

  /// Verifies a session cookie by the same rules as `verifyIDToken`.
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
    // A project's administrator gets tokens of all tenants, whose accounts are in their tenants.
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

  /// Creates a session cookie from an ID token, valid for `lifetime` seconds.
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
