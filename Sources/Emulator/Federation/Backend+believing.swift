internal import System
internal import IdentityToolkit

/// Unverified responses of providers: a test makes up the user's claims, and the emulator accepts them.
///
/// The credential is a JWT with any signature, or its claims as plain JSON; a SAML response is JSON too.
extension Backend {
  /// The assertion in a made-up credential.
  func believedAssertion(for request: IdentityRequest) throws(Refusal) -> Assertion {
    guard let providerID = request.answered("providerId").map(ScriptCase.lowered) else {
      throw Refusal(
        .invalidCredentialOrProviderID, "Invalid IdP response/credential: \(request.wholeURI)")
    }
    let idToken = request.answered("id_token")
    let accessToken = request.answered("access_token")
    var claims = try Self.madeUpClaims(idToken)
    if claims == nil { claims = try Self.madeUpClaims(accessToken) }
    guard let claims else {
      throw Self.unusable(idToken: idToken, accessToken: accessToken, of: providerID)
    }
    var tokens = ProviderTokens()
    tokens.idToken = idToken.map { Secret($0) }
    // Clients build their credentials from access tokens, so a response always has one.
    tokens.accessToken = Secret(
      accessToken ?? "FirebaseAuthEmulatorFakeAccessToken_\(providerID)")
    let saml = try request.answered("SAMLResponse").map { (text) throws(Refusal) -> SAMLAnswer in
      try SAMLAnswer(text)
    }
    var assertion = try Self.describe(claims, tokens, of: providerID)
    assertion.attributes = saml?.attributes
    if providerID.utf8.starts(with: "saml.".utf8) {
      if let nameID = saml?.nameID, EmailAddress.roughlyNormalized(nameID) != nil {
        assertion.email = nameID
      }
      assertion.isTrusted = true
      assertion.profile = saml?.attributes
    }
    return assertion
  }

  /// The claims of a token; nil if it cannot be read.
  private static func madeUpClaims(_ token: String?) throws(Refusal) -> JSONObject? {
    guard let token else { return nil }
    var claims: JSONObject?
    if token.utf8.first == UInt8(ascii: "{") {
      claims = ScriptValue.parse(token)?.object
      guard claims != nil else {
        throw Refusal(
          .invalidIdPResponse,
          "Unable to parse id_token: \(token) ((Auth Emulator failed to parse fake id_token as "
            + "strict JSON.))")
      }
    } else {
      let payload = UnsignedToken.payload(of: token)
      guard ScriptValue.isTrue(payload) else { return nil }
      claims = payload?.object ?? JSONObject()
    }
    guard let claims, ScriptValue.isTrue(claims["sub"]) else {
      throw Refusal(
        .invalidIdPResponse,
        "Invalid Idp Response: id_token missing required fields. ((Missing \"sub\" field. This field "
          + "is required and must be a unique identifier.))")
    }
    guard claims["sub"]?.string != nil else {
      throw Refusal(.invalidIdPResponse, "((The \"sub\" field must be a string.))")
    }
    return claims
  }

  private static func unusable(
    idToken: String?, accessToken: String?, of providerID: String
  ) -> Refusal {
    if let idToken {
      return Refusal(
        .invalidIdPResponse,
        "Unable to parse id_token: \(idToken) ((Auth Emulator only accepts strict JSON or JWTs as "
          + "fake id_tokens.))")
    }
    guard accessToken != nil else {
      return .notImplemented(
        "The Auth Emulator only supports sign-in with credentials (id_token required).")
    }
    guard providerID == "google.com" || providerID == "apple.com" else {
      return .notImplemented(
        "The Auth Emulator does not support \(providerID) sign-in with credentials.")
    }
    return .notImplemented(
      "The Auth Emulator only support sign-in with \(providerID) using id_token, not access_token. "
        + "Please update your code to use id_token.")
  }

  private static func describe(
    _ claims: JSONObject, _ tokens: ProviderTokens, of providerID: String
  ) throws(Refusal) -> Assertion {
    func text(_ name: String) throws(Refusal) -> String? {
      switch claims[name] {
      case nil, .null?: return nil
      case .string(let text)?: return text
      default:
        throw Refusal(.invalidIdPResponse, "((The \"\(name)\" field must be a string.))")
      }
    }
    var assertion = Assertion(
      providerID: providerID, rawID: claims["sub"]?.string ?? "", tokens: tokens)
    if ScriptValue.isTrue(claims["email"]) {
      assertion.email = try text("email").map(ScriptCase.lowered)
    }
    assertion.isTrusted = ScriptValue.isTrue(claims["email_verified"])
    assertion.displayName = try text("name")
    assertion.photoURL = try text("picture")
    assertion.screenName = try text("screen_name")
    guard providerID == "google.com" else {
      assertion.profile = .object(claims)
      return assertion
    }
    assertion.firstName = try text("given_name")
    assertion.lastName = try text("family_name")
    assertion.profile = .object(googleProfile(assertion))
    return assertion
  }

  /// The user's profile as Google's own API would return it.
  private static func googleProfile(_ assertion: Assertion) -> JSONObject {
    var scopes = "openid https://www.googleapis.com/auth/userinfo.profile"
    if assertion.email != nil { scopes += " https://www.googleapis.com/auth/userinfo.email" }
    var profile: JSONObject = ["granted_scopes": .string(scopes), "id": .string(assertion.rawID)]
    profile.set("name", assertion.displayName)
    profile.set("given_name", assertion.firstName)
    profile.set("family_name", assertion.lastName)
    profile["verified_email"] = .bool(assertion.isTrusted)
    profile["locale"] = "en"
    profile.set("email", assertion.email)
    profile.set("picture", assertion.photoURL)
    return profile
  }
}
