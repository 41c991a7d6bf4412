internal import System
internal import HTTP
internal import OIDC

extension IdentityProviders {
  /// The grant type with which a service account requests access tokens (RFC 7523 section 2.1).
  static let serviceAccountGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// An access token for a caller that signed with the service account's key.
  ///
  /// The error messages are Google's: clients use them to distinguish a wrong clock from a wrong key.
  func accessToken(forServiceAccount form: FormFields) -> ServerResponse {
    func refuse(_ words: String) -> ServerResponse { oauthError(400, "invalid_grant", words) }
    guard let text = form["assertion"] else {
      return oauthError(400, "invalid_request", "assertion is missing")
    }
    guard let token = try? JWT(decoding: text) else { return refuse("Bad Request") }
    let claims = token.claims
    let email = claims["iss"]?.string ?? ""
    guard email.hasPrefix("luath@"), email.hasSuffix(".iam.gserviceaccount.com") else {
      return refuse("Invalid grant: account not found")
    }
    do {
      try token.verify(try context.keys.verifiers(for: .serviceAccount), algorithms: [.rs256])
    } catch {
      return refuse("Invalid JWT Signature.")
    }
    // The audience is our URL, or Google's in service account keys of real projects.
    let path = "oauth2.googleapis.com/token"
    guard let audience = claims["aud"]?.string,
      ["\(context.origin)/\(path)", "https://\(path)"].contains(audience)
    else { return refuse("Invalid JWT: the audience must be \(context.origin)/\(path)") }
    let now = context.clock.seconds
    guard let issued = claims["iat"]?.integer, let ends = claims["exp"]?.integer,
      (now - 300...now + 300).contains(issued), ends > now, ends <= issued + 3600
    else {
      return refuse(
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
          + "timeframe. Check your iat and exp values in the JWT claim.")
    }
    guard claims["scope"]?.string?.isEmpty == false else {
      return oauthError(400, "invalid_scope", "Empty or missing scope not allowed.")
    }
    // The backend accepts any token with the prefix of Google's access tokens.
    return ServerResponse(
      json: [
        "access_token": .string("ya29." + SecureRandom.token(bytes: 36)),
        "expires_in": .integer(Self.tokenLifetime - 1), "token_type": "Bearer",
      ], headers: ["Cache-Control": "no-store", "Pragma": "no-cache"])
  }
}
