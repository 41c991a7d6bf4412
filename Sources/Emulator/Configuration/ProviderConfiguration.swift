public import System

/// One sign-in provider of the emulated project, as an administrator registers it.
public struct ProviderConfiguration: Sendable {
  /// How an OIDC provider returns its ID token.
  enum Flow: String, Sendable, CaseIterable {
    /// The authorization code flow: needs a client secret; recommended.
    case code
    /// The implicit flow: the ID token comes back in the fragment.
    case idToken
  }

  /// `microsoft.com`, `yahoo.com`, `google.com`, `oidc.NAME`, `password`, `phone` or `anonymous`.
  let id: String
  /// Whether users may sign in with it.
  var isEnabled = true
  /// The client id of the app registration at the provider, which is the audience of its ID tokens.
  var clientID = ""
  /// The client secret for redeeming authorization codes.
  public var clientSecret: Secret?
  /// The issuer of an OIDC provider; nil for the emulator's own server of that name.
  var issuer: String?
  /// The flow of an OIDC provider.
  var flow = Flow.code
  /// The name shown on the provider's pages.
  var displayName: String?
  /// API permissions configured for a Yahoo app; requested scopes must match them exactly.
  var permissions: [String] = []
  /// The allowed redirect URIs; when empty, the sign-in handler and all addresses of this machine.
  var redirectURIs: [String] = []
  /// The allowed redirect URIs after a sign-out; the default is the same.
  var postLogoutRedirectURIs: [String] = []
  /// Whether a refresh token stays valid after its use; otherwise each works once and is replaced by a new one.
  var keepsRefreshTokens = false
  /// The fields of Google's message that no property above holds: `idpConfig` and `spConfig` of SAML.
  var further = JSONObject()

  /// A provider with the emulator's default registration.
  init(id: String) {
    self.id = id
    if isFederated {
      clientID = "luath-client-\(id)"
      clientSecret = Secret("luath-secret-\(id)")
    }
  }

  /// Whether this is an identity provider, not a sign-in method of the project itself.
  var isFederated: Bool { id != "password" && id != "anonymous" && id != "phone" }
  /// Whether the provider uses SAML.
  var isSAML: Bool { id.utf8.starts(with: "saml.".utf8) }
  /// Whether the provider is a generic OIDC provider.
  var isOIDC: Bool { id.utf8.starts(with: "oidc.".utf8) }
}
