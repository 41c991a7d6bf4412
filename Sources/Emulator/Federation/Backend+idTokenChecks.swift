internal import System
internal import IdentityToolkit
internal import OIDC

/// The checks of Google's servers for a provider's ID token, with their messages (measured).
///
/// They accept several audiences, any `azp`, and an `nbf` in the future.
extension Backend {
  /// Refuses a token of another issuer or client, and one that is expired or issued in the future.
  func check(_ claims: JSONObject, issuer: String, audience: String) throws(Refusal) {
    let named = claims["iss"]?.string ?? ""
    guard ExactString(string: named) == ExactString(string: issuer) else {
      throw Refusal(
        .invalidIdPResponse,
        "The issuer in ID Token \(Self.printable(named)) does not match the expected one in config: "
          + "\(issuer).")
    }
    let audiences =
      claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
    guard audiences.contains(where: { ExactString(string: $0) == ExactString(string: audience) })
    else {
      throw Refusal(
        .invalidIdPResponse,
        "The audience in ID Token [\(Self.printable(audiences.joined(separator: ", ")))] does not match "
          + "the expected audience \(audience).")
    }
    // Some providers write times with a fraction.
    guard let issued = claims["iat"], let issuedAt = issued.number,
      let expiry = claims["exp"]?.number
    else {
      throw Refusal(.invalidIdPResponse, "Unable to parse the ID Token.")
    }
    // Clocks of two machines may differ by a minute.
    guard expiry > Double(now - 60), issuedAt <= Double(now + 60) else {
      throw Refusal(
        .invalidIdPResponse, "ID Token issued at \(issued.encoded()) is stale to sign-in.")
    }
  }

  /// Refuses a nonce that is not the hash of the request's raw nonce.
  static func check(nonce found: String?, raw: String?) throws(Refusal) {
    guard let found else {
      guard raw == nil else {
        throw Refusal(
          .missingOrInvalidNonce, "the ID token has no nonce, though the request had one")
      }
      return
    }
    guard let raw else {
      throw Refusal(.missingOrInvalidNonce, "Nonce is missing in the request.")
    }
    guard constantTimeEqual(found, Digest.sha256Hex(raw)) else {
      throw Refusal(
        .missingOrInvalidNonce,
        "The nonce in ID Token \"\(printable(found))\" does not match the SHA256 hash of the raw nonce "
          + "\"\(printable(raw))\" in the request.")
    }
  }

  /// Refuses a token whose subject and nonce have signed in before; this check comes first.
  func requireFresh(_ claims: JSONObject, of provider: ProviderConfiguration) throws(Refusal) {
    guard let key = Self.credentialKey(claims, of: provider),
      usedCredentials.peek(key, now: now) != nil
    else { return }
    throw Refusal(
      .missingOrInvalidNonce,
      "Duplicate credential received. Please try again with a new credential.")
  }

  func rememberCredential(_ claims: JSONObject, of provider: ProviderConfiguration) {
    guard rules[.googleAnswers], let key = Self.credentialKey(claims, of: provider) else { return }
    usedCredentials.put((), under: key, expires: now + 86_400, now: now)
  }

  /// A hash of provider, subject and nonce; nil without a nonce, since such a token may be used again.
  private static func credentialKey(
    _ claims: JSONObject, of provider: ProviderConfiguration
  ) -> String? {
    guard let nonce = claims["nonce"]?.string, let subject = claims["sub"]?.string else {
      return nil
    }
    return Digest.sha256Hex("\(provider.id)\n\(subject)\n\(nonce)")
  }

  /// The claims that become `sign_in_attributes` in the tokens of the sign-in; nil if there are none.
  static func attributes(in claims: JSONObject) -> JSON? {
    let usual = [
      "iss", "aud", "sub", "iat", "exp", "nbf", "nonce", "azp", "email", "email_verified", "name",
      "picture",
    ]
    let further = claims.entries.filter { !usual.contains($0.key) }
    return further.isEmpty ? nil : .object(JSONObject(further.map { ($0.key, $0.value) }))
  }
}

extension OIDCError {
  /// Whether none of the provider's keys signed the token.
  var isAboutSignature: Bool { code == .badSignature || code == .unknownKey }
}
