public import Encoding

/// One sign-in provider of the emulated project, as an administrator registers it.
public struct ProviderConfiguration: Sendable {
  /// How an OIDC provider hands over its ID token.
  public enum Flow: String, Sendable, CaseIterable {
    /// The authorization code flow: needs a client secret; recommended.
    case code
    /// The implicit flow: the ID token comes back in the fragment.
    case idToken
  }

  /// `microsoft.com`, `yahoo.com`, `google.com`, `oidc.NAME`, `password`, `phone` or `anonymous`.
  public let id: String
  /// Whether people may sign in with it; a provider that is off is refused.
  public var isEnabled = true
  /// The client id of the app registration at the provider: the audience of its ID tokens.
  public var clientID = ""
  /// The client secret that redeems authorization codes.
  public var clientSecret: Secret?
  /// The issuer of an OIDC provider; nil means the emulator's own server for that name.
  public var issuer: String?
  /// How an OIDC provider answers.
  public var flow = Flow.code
  /// The name shown on the provider's pages.
  public var displayName: String?
  /// API permissions preconfigured in a Yahoo app; requested scopes must match them exactly.
  public var permissions: [String] = []
  /// The addresses people may be sent back to; with none, the handler and all addresses of this machine.
  public var redirectURIs: [String] = []
  /// The addresses people may be sent to after a sign-out, by the same rule.
  public var postLogoutRedirectURIs: [String] = []
  /// Whether a refresh token stays good when it is used; else each works once and brings its successor.
  public var keepsRefreshTokens = false
  /// The fields of Google's message that nothing above stands for: `idpConfig` and `spConfig` of SAML.
  public var further = JSONObject()

  /// A provider with the emulator's default registration.
  public init(id: String) {
    self.id = id
    if isFederated {
      clientID = "luath-client-\(id)"
      clientSecret = Secret("luath-secret-\(id)")
    }
  }

  /// Whether the provider is an identity provider on the network rather than this project itself.
  public var isFederated: Bool { id != "password" && id != "anonymous" && id != "phone" }
  /// Whether the provider speaks SAML.
  public var isSAML: Bool { id.utf8.starts(with: "saml.".utf8) }
  /// Whether the provider is a generic OIDC one.
  public var isOIDC: Bool { id.utf8.starts(with: "oidc.".utf8) }
}
