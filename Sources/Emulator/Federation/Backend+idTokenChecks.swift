internal import Encoding
internal import IdentityToolkit
internal import OIDC

/// What Google's servers ask of the ID token of a provider, in their words (measured).
///
/// Several audiences, any `azp` and an `nbf` ahead are fine with them.
extension Backend {
  /// Refuses a token of another issuer or client, and one that is not of now.
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

  /// Refuses a nonce that is not the hash of the caller's.
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

  /// Refuses a token whose subject and nonce have signed in before, which is looked at first of all.
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

  /// Subject and nonce of a token; nil without a nonce, with which a token may come again.
  private static func credentialKey(
    _ claims: JSONObject, of provider: ProviderConfiguration
  ) -> String? {
    guard let nonce = claims["nonce"]?.string, let subject = claims["sub"]?.string else {
      return nil
    }
    return Digest.sha256Hex("\(provider.id)\n\(subject)\n\(nonce)")
  }

  /// The claims that tokens of the sign-in have as `sign_in_attributes`; nil for none.
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
  /// Whether it says that none of the provider's keys signed a token.
  var isAboutSignature: Bool { code == .badSignature || code == .unknownKey }
}
