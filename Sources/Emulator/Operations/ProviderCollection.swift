internal import System
internal import HTTP
internal import IdentityToolkit

/// The three collections that administrators register identity providers in.
enum ProviderCollection: String {
  case oidc = "oauthIdpConfigs"
  case saml = "inboundSamlConfigs"
  case supported = "defaultSupportedIdpConfigs"

  /// The providers whose addresses Google already has.
  static let known: [(id: String, name: String)] = [
    ("apple.com", "Apple"), ("facebook.com", "Facebook"), ("gc.apple.com", "Game Center"),
    ("github.com", "GitHub"), ("google.com", "Google"), ("linkedin.com", "LinkedIn"),
    ("microsoft.com", "Microsoft"), ("playgames.google.com", "Play Games"),
    ("twitter.com", "Twitter"), ("yahoo.com", "Yahoo"),
  ]

  init(_ call: Call) throws(Refusal) {
    guard let kind = ProviderCollection(rawValue: call.collection) else { throw .notFound }
    self = kind
  }

  /// The name of Google's message for a provider of this kind.
  var message: String {
    switch self {
    case .oidc: "AdminOAuthIdpConfig"
    case .saml: "AdminInboundSamlConfig"
    case .supported: "AdminDefaultSupportedIdpConfig"
    }
  }

  /// Whether a provider of this id belongs to the collection.
  func includes(_ id: String) -> Bool {
    switch self {
    case .oidc: id.utf8.starts(with: "oidc.".utf8)
    case .saml: id.utf8.starts(with: "saml.".utf8)
    case .supported: Self.known.contains { $0.id == id }
    }
  }

  func newID(_ call: Call) throws(Refusal) -> String {
    let parameter =
      switch self {
      case .oidc: "oauthIdpConfigId"
      case .saml: "inboundSamlConfigId"
      case .supported: "idpId"
      }
    guard let id = call.query.text(parameter), includes(id),
      self == .supported || ProviderConfiguration.isOIDCName(id.dropFirst(5))
    else {
      throw Refusal(.invalidConfigID, "\(parameter) must name a provider of this kind")
    }
    return id
  }

  func provider(_ id: String, _ fields: Fields) throws(Refusal) -> ProviderConfiguration {
    var provider = ProviderConfiguration(id: id)
    provider.isEnabled = try fields.bool("enabled") ?? false
    provider.displayName = fields.text("displayName")
    provider.clientID = fields.text("clientId") ?? ""
    provider.clientSecret = fields.text("clientSecret").map { Secret($0) }
    guard self != .saml else {
      for name in ["idpConfig", "spConfig"] { provider.further[name] = fields.value(name) }
      return try Self.checked(saml: provider)
    }
    guard !provider.clientID.isEmpty else { throw Refusal(.missingOAuthClientID) }
    guard self == .oidc else {
      guard provider.clientSecret != nil else {
        throw Refusal(.missingOAuthClientSecret)
      }
      provider.further["appleSignInConfig"] = fields.value("appleSignInConfig")
      return provider
    }
    guard let issuer = fields.text("issuer") else { throw Refusal(.missingIssuer) }
    guard WebURL(issuer) != nil else { throw Refusal(.invalidIssuer) }
    provider.issuer = issuer
    let response = fields.value("responseType")
    let isCode = response?["code"]?.bool == true
    guard !(isCode && response?["idToken"]?.bool == true) else {
      throw Refusal(.invalidOAuthResponseType, "only one type can be on")
    }
    provider.flow = isCode ? .code : .idToken
    guard provider.flow == .idToken || provider.clientSecret != nil else {
      throw Refusal(.missingOAuthClientSecret)
    }
    return provider
  }

  private static func checked(
    saml provider: ProviderConfiguration
  ) throws(Refusal) -> ProviderConfiguration {
    let identityProvider = Fields(provider.further["idpConfig"]?.object ?? JSONObject())
    guard identityProvider.text("idpEntityId") != nil else {
      throw Refusal(.missingSAMLRelyingPartyConfig, "idpEntityId is missing")
    }
    guard let address = identityProvider.text("ssoUrl"), WebURL(address) != nil else {
      throw Refusal(.invalidConfig, "ssoUrl must be an absolute URL")
    }
    return provider
  }
}
