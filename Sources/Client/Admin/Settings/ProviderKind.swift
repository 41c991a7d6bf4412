import IdentityToolkit

/// The three kinds of identity providers, each with its own collection in the API.
public enum ProviderKind: String, CaseIterable, Sendable {
  /// OpenID Connect providers: `oidc.NAME`.
  case oidc
  /// SAML providers: `saml.NAME`.
  case saml
  /// Built-in providers of the backend: `google.com` and others.
  case known

  /// Determines the kind from a provider id.
  init(providerID: String) {
    let start = providerID.utf8.prefix(5)
    self =
      start.elementsEqual("oidc.".utf8) ? .oidc : start.elementsEqual("saml.".utf8) ? .saml : .known
  }

  /// The settings of its providers.
  public var settings: [Setting] {
    switch self {
    case .oidc: Setting.ofOIDC
    case .saml: Setting.ofSAML
    case .known: Setting.ofKnownProvider
    }
  }

  /// The collection's name in the API.
  var collection: String {
    switch self {
    case .oidc: "oauthIdpConfigs"
    case .saml: "inboundSamlConfigs"
    case .known: "defaultSupportedIdpConfigs"
    }
  }

  /// The query parameter with the id of a new provider.
  var idParameter: String {
    switch self {
    case .oidc: "oauthIdpConfigId"
    case .saml: "inboundSamlConfigId"
    case .known: "idpId"
    }
  }
}
