internal import Encoding

/// What an identity provider said about a person, after every check.
struct Assertion: Sendable {
  /// How long a pending token can be used, in seconds.
  static let pendingLifetime: Int64 = 3600

  let providerID: String
  /// The person's id at the provider.
  let rawID: String
  /// The address in lower case.
  var email: String?
  /// Whether the provider is believed about the address: see `EmailTrust`.
  var isTrusted = false
  var displayName: String?
  var firstName: String?
  var lastName: String?
  var photoURL: String?
  var screenName: String?
  /// The profile as the provider gave it: `rawUserInfo`.
  var profile: JSONObject
  var idToken: Secret?
  var accessToken: Secret?
  var refreshToken: Secret?
  /// Seconds until the access token expires.
  var expiresIn: Int64?
  /// The `context` of the flow's `createAuthUri`.
  var context: String?

  var key: IdentityKey { IdentityKey(providerID: providerID, rawID: rawID) }

  var identity: LinkedIdentity {
    LinkedIdentity(
      providerID: providerID, rawID: rawID, email: email, displayName: displayName,
      photoURL: photoURL, screenName: screenName, isTrusted: isTrusted)
  }

  /// `federatedId` in an answer: for Google a URL, for the others the plain id.
  var federatedID: String {
    providerID == "google.com" ? "https://accounts.google.com/\(rawID)" : rawID
  }
}
