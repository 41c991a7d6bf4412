internal import System

/// An identity provider's statement about a user, either verified or accepted without a check.
struct Assertion: Sendable {
  /// How long a pending token can be used, in seconds.
  static let pendingLifetime: Int64 = 3600

  let providerID: String
  /// The user's id at the provider.
  let rawID: String
  /// The address in lower case.
  var email: String?
  /// Whether the provider is trusted for the address: see `EmailTrust`.
  var isTrusted = false
  var displayName: String?
  var firstName: String?
  var lastName: String?
  var photoURL: String?
  var screenName: String?
  /// The provider's profile: `rawUserInfo`.
  var profile: JSON?
  /// Attributes of a SAML or OIDC response, for the tokens of this sign-in.
  var attributes: JSON?
  var idToken: Secret?
  var accessToken: Secret?
  var refreshToken: Secret?
  /// Seconds until the access token expires.
  var expiresIn: Int64?
  /// The `context` of the flow's `createAuthUri`.
  var context: String?

  init(providerID: String, rawID: String, tokens: ProviderTokens) {
    self.providerID = providerID
    self.rawID = rawID
    idToken = tokens.idToken
    accessToken = tokens.accessToken
    refreshToken = tokens.refreshToken
    expiresIn = tokens.expiresIn
  }

  var key: IdentityKey { IdentityKey(providerID: providerID, rawID: rawID) }

  var identity: LinkedIdentity {
    LinkedIdentity(
      providerID: providerID, rawID: rawID, email: email, displayName: displayName,
      photoURL: photoURL, screenName: screenName, isTrusted: isTrusted)
  }

  /// The `federatedId` of a response: for Google a URL, for the others the plain id.
  var federatedID: String {
    providerID == "google.com" ? "https://accounts.google.com/\(rawID)" : rawID
  }

  /// The `federatedId` in a response of Google's servers (measured): generic providers are named before the id.
  var qualifiedID: String {
    let isGeneric = ["oidc.", "saml."].contains { providerID.hasPrefix($0) }
    return isGeneric ? "\(providerID)/\(rawID)" : federatedID
  }

  /// Whether the account has the same address, or both have none.
  func hasAddress(of account: Account) -> Bool {
    email.map { ExactString(string: $0) } == account.email.map { ExactString(string: $0) }
  }
}
