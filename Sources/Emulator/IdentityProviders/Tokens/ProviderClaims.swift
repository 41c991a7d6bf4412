internal import System

/// The claims of each provider about a user, in ID tokens and userinfo responses.
struct ProviderClaims {
  let person: Person
  let provider: IdentityProvider
  let clientID: String
  let scopes: [String]

  static func names(of kind: IdentityProvider.Kind) -> [String] {
    let common = [
      "sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "c_hash", "name", "email",
    ]
    if kind == .microsoft { return common + ["nbf", "oid", "tid", "preferred_username", "ver"] }
    let personal = ["email_verified", "given_name", "family_name", "picture"]
    return switch kind {
    case .google: common + personal + ["azp", "hd"]
    case .yahoo: common + personal + ["nickname", "locale", "profile_images"]
    default: common + personal + ["preferred_username"]
    }
  }

  var subject: String {
    provider.kind == .microsoft
      ? person.microsoftSubject(client: clientID) : person.subject(at: provider.id)
  }

  /// The claims that the granted scopes allow.
  var claims: JSONObject {
    var claims: JSONObject = ["sub": .string(subject)]
    if provider.kind == .microsoft {
      claims["oid"] = .string(person.microsoft.oid)
      claims["tid"] = .string(person.microsoft.tenantID)
      claims["ver"] = "2.0"
    }
    if isGranted("profile") { addProfile(to: &claims) }
    if isGranted("email") {
      claims["email"] = .string(person.email)
      // Microsoft does not assert that the address of a work account is verified, so neither do we.
      if provider.kind != .microsoft { claims["email_verified"] = .bool(person.isEmailVerified) }
      if provider.kind == .google, let domain = hostedDomain { claims["hd"] = .string(domain) }
    }
    return claims
  }

  /// Whether the scope was granted, by its own name or Google's long one.
  private func isGranted(_ scope: String) -> Bool {
    scopes.contains(scope)
      || scopes.contains("https://www.googleapis.com/auth/userinfo.\(scope)")
  }

  private func addProfile(to claims: inout JSONObject) {
    claims["name"] = .string(person.name)
    switch provider.kind {
    case .microsoft: claims["preferred_username"] = .string(person.email)
    case .yahoo:
      claims["nickname"] = .string(person.givenName)
      claims["locale"] = "en-US"
    case .google: break
    case .oidc: claims["preferred_username"] = .string(person.email)
    }
    guard provider.kind != .microsoft else { return }
    claims["given_name"] = .string(person.givenName)
    if !person.familyName.isEmpty { claims["family_name"] = .string(person.familyName) }
    if let photo = person.photo, photo.contains(":") {
      claims["picture"] = .string(photo)
      if provider.kind == .yahoo {
        claims["profile_images"] = ["image192": .string(photo)]
      }
    }
  }

  /// The domain of a Google Workspace account; gmail.com addresses have none.
  private var hostedDomain: String? {
    guard let at = person.email.lastIndex(of: "@") else { return nil }
    let domain = person.email[person.email.index(after: at)...].lowercased()
    return domain == "gmail.com" || domain == "googlemail.com" ? nil : domain
  }
}

extension Person {
  var givenName: String { name.split(separator: " ").first.map(String.init) ?? name }

  var familyName: String { name.split(separator: " ").dropFirst().joined(separator: " ") }
}
