import IdentityToolkit

/// The three collections that administrators register identity providers in.
public enum ProviderKind: String, CaseIterable, Sendable {
  /// OpenID providers: `oidc.NAME`.
  case oidc
  /// SAML providers: `saml.NAME`.
  case saml
  /// Providers that the backend knows without being told where they are: `google.com` and so on.
  case known

  /// The collection that a provider of this id is registered in.
  public init(providerID: String) {
    let start = providerID.utf8.prefix(5)
    self =
      start.elementsEqual("oidc.".utf8) ? .oidc : start.elementsEqual("saml.".utf8) ? .saml : .known
  }

  /// What can be said of its providers.
  public var settings: [Setting] {
    switch self {
    case .oidc: Setting.ofOIDC
    case .saml: Setting.ofSAML
    case .known: Setting.ofKnownProvider
    }
  }

  /// The collection's name on the wire.
  var collection: String {
    switch self {
    case .oidc: "oauthIdpConfigs"
    case .saml: "inboundSamlConfigs"
    case .known: "defaultSupportedIdpConfigs"
    }
  }

  /// The parameter that names a new provider.
  var idParameter: String {
    switch self {
    case .oidc: "oauthIdpConfigId"
    case .saml: "inboundSamlConfigId"
    case .known: "idpId"
    }
  }
}
