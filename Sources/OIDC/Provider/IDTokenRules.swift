import System

/// The rules for the claims of an ID token (OpenID Connect Core 1.0 section 3.1.3.7).
///
/// They do not include the signature: call `JWT.verify` first.
public struct IDTokenRules: Sendable {
  /// The rule for the `nonce` claim.
  public enum NonceRule: Sendable {
    /// No check: the token came directly from the token endpoint for a request without a nonce.
    case unchecked
    /// There must be none: a token made for a nonce must not be used without it.
    case absent
    /// It must be present and have this value.
    case exactly(String)
  }

  /// The issuer, exactly as the provider spells it.
  public var issuer: String
  /// Our client identifier at that issuer.
  public var audience: String
  var nonce: NonceRule
  /// The time in seconds since 1970.
  var now: Int64
  /// The tolerated clock difference to the provider, in seconds.
  var leeway: Int64

  /// Creates the rules for one token.
  public init(
    issuer: String, audience: String, nonce: NonceRule, now: Int64, leeway: Int64 = 60
  ) {
    self.issuer = issuer
    self.audience = audience
    self.nonce = nonce
    self.now = now
    self.leeway = leeway
  }

  /// Throws unless the token's claims follow every rule.
  public func check(_ jwt: JWT) throws(OIDCError) {
    let claims = jwt.claims
    try checkKind(jwt)
    try checkIssuer(claims)
    try checkAudience(claims)
    try checkTimes(claims)
    try checkSubject(claims)
    try checkNonce(claims)
  }

  /// Throws unless the token is an ID token with a subject.
  ///
  /// For callers with their own rules for issuer, audience, times and nonce.
  public func checkKindAndSubject(_ jwt: JWT) throws(OIDCError) {
    try checkKind(jwt)
    try checkSubject(jwt.claims)
  }

  private func checkSubject(_ claims: JSONObject) throws(OIDCError) {
    guard let subject = claims["sub"]?.string, !subject.isEmpty else { throw malformed("sub") }
    guard subject.utf8.count <= Self.longestSubject else {
      throw OIDCError(
        .malformedClaims, "the ID token's sub is longer than \(Self.longestSubject) characters",
        hint: "have the provider shorten it, as OpenID Connect asks")
    }
  }

  /// The maximum of OpenID Connect Core 1.0 section 2.
  private static let longestSubject = 255

  /// Rejects other kinds of tokens, even if correctly signed (RFC 8725 sections 3.11 and 3.12).
  private func checkKind(_ jwt: JWT) throws(OIDCError) {
    if let type = jwt.header["typ"] {
      let name = type.string?.lowercased()
      guard name == "jwt" || name == "application/jwt" else { throw Self.anotherKind }
    }
    // OpenID Connect Back-Channel Logout 1.0 section 2.4; older servers omit its typ.
    guard jwt.claims["events"]?[Self.logoutEvent] == nil else { throw Self.anotherKind }
  }

  private static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

  private static let anotherKind = OIDCError(
    .malformedClaims, "the token is of another kind than an ID token",
    hint: "pass the id_token that the provider gave for the sign-in, not an access or logout token")

  private func checkIssuer(_ claims: JSONObject) throws(OIDCError) {
    guard let claim = claims["iss"]?.string else { throw malformed("iss") }
    guard ExactString(claim) == ExactString(issuer) else {
      throw OIDCError(
        .wrongIssuer, "the ID token is from another issuer: \(harmless(claim, without: []))",
        hint:
          "pass an ID token of \(harmless(issuer, without: [])); if it is one, have the provider write"
          + " its iss as its discovery document does")
    }
  }

  /// Rules 3 to 5: we are an audience, and the authorized party if there are several.
  ///
  /// Rule 3 would also reject audiences that we do not trust. Nobody keeps such a list, so the
  /// provider's `azp` claim decides.
  private func checkAudience(_ claims: JSONObject) throws(OIDCError) {
    let audiences: [JSON]
    switch claims["aud"] {
    case .string(let one)?: audiences = [.string(one)]
    case .array(let several)? where several.allSatisfy { $0.string != nil }: audiences = several
    default: throw malformed("aud")
    }
    let party = claims["azp"]
    guard party == nil || party?.string != nil else { throw malformed("azp") }
    guard audiences.contains(.string(audience)),
      party.map({ $0 == .string(audience) }) ?? (audiences.count == 1)
    else {
      throw OIDCError(
        .wrongAudience, "the ID token is for another client",
        hint: "check the client identifier in the provider's configuration")
    }
  }

  /// Rules 9 and 10, and RFC 7519 section 4.1.5.
  ///
  /// Some providers send times with a fraction.
  private func checkTimes(_ claims: JSONObject) throws(OIDCError) {
    guard let expiry = claims["exp"]?.number else { throw malformed("exp") }
    guard let issued = claims["iat"]?.number else { throw malformed("iat") }
    let start = try optionalTime("nbf", of: claims)
    _ = try optionalTime("auth_time", of: claims)
    let now = Double(now)
    let leeway = Double(leeway)
    guard now < expiry + leeway else {
      throw OIDCError(.expired, "the ID token has expired", hint: "sign in at the provider again")
    }
    guard max(issued, start ?? issued) <= now + leeway else {
      throw OIDCError(
        .notYetValid, "the ID token is not valid yet",
        hint: "set this machine's clock and the provider's to the same time")
    }
  }

  private func optionalTime(_ name: String, of claims: JSONObject) throws(OIDCError) -> Double? {
    guard let claim = claims[name] else { return nil }
    guard let time = claim.number else { throw malformed(name) }
    return time
  }

  private func checkNonce(_ claims: JSONObject) throws(OIDCError) {
    let claim = claims["nonce"]
    if case .exactly = nonce, claim == nil {
      throw OIDCError(
        .missingNonce, "the ID token carries no nonce, though the request had one",
        hint: "have the provider put the request's nonce into its ID tokens, as OpenID Connect asks"
      )
    }
    let isRight =
      switch nonce {
      case .unchecked: true
      case .absent: claim == nil
      case .exactly(let expected): claim == .string(expected)
      }
    guard isRight else {
      throw OIDCError(
        .wrongNonce, "the ID token's nonce is not the one of this sign-in",
        hint: "pass the raw nonce whose hash the request carried, or start the sign-in again")
    }
  }

  private func malformed(_ claim: String) -> OIDCError {
    OIDCError(
      .malformedClaims, "the ID token's \(claim) is missing or of the wrong type",
      hint: "report it to the provider; without that claim the token proves nothing")
  }
}
