internal import System
internal import IdentityToolkit

extension Backend {
  static func assertion(
    of providerID: String, claims: JSONObject, profile: JSONObject, _ tokens: ProviderTokens
  ) throws(Refusal) -> Assertion {
    let rawID = providerID == "microsoft.com" ? profile["id"]?.string : claims["sub"]?.string
    guard let rawID, !rawID.isEmpty, rawID.utf8.count <= 256 else {
      throw Refusal(.invalidIdPResponse, "the provider's answer does not say who signed in")
    }
    var assertion = Assertion(providerID: providerID, rawID: rawID, tokens: tokens)
    assertion.profile = .object(
      providerID == "google.com" ? googleProfile(claims, profile) : profile)
    func text(_ names: String...) -> String? {
      for name in names {
        if let value = (profile[name] ?? claims[name])?.string, !value.isEmpty { return value }
      }
      return nil
    }
    switch providerID {
    case "microsoft.com":
      assertion.displayName = text("displayName", "name")
      assertion.firstName = text("givenName")
      assertion.lastName = text("surname")
      assertion.setEmail(text("mail", "email", "userPrincipalName"), isAssertedVerified: false)
    // Graph has no photo URL, only the photo itself, which needs the access token.
    default:
      assertion.displayName = text("name")
      assertion.firstName = text("given_name")
      assertion.lastName = text("family_name")
      assertion.photoURL = text("picture")
      assertion.screenName = text("nickname", "preferred_username")
      let verified = profile["email_verified"] ?? claims["email_verified"]
      assertion.setEmail(
        text("email"), isAssertedVerified: verified?.bool == true || verified?.string == "true")
    }
    return assertion
  }

  /// Google's profile in the form of its own API.
  private static func googleProfile(_ claims: JSONObject, _ profile: JSONObject) -> JSONObject {
    var shaped = JSONObject()
    shaped["id"] = claims["sub"]
    for name in ["name", "given_name", "family_name", "email", "picture", "locale", "hd"] {
      if let value = profile[name] ?? claims[name] { shaped[name] = value }
    }
    shaped["verified_email"] = profile["email_verified"] ?? claims["email_verified"] ?? false
    return shaped
  }
}

extension Assertion {
  /// Sets the address if it looks like one.
  mutating func setEmail(_ text: String?, isAssertedVerified: Bool) {
    guard let text, let address = EmailAddress.normalized(text) else { return }
    email = address
    isTrusted = EmailTrust.isTrusted(
      address, providerID: providerID, isAssertedVerified: isAssertedVerified)
  }
}
