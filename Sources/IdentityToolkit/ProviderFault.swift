/// A problem between the backend and an identity provider, as reported in `INVALID_IDP_RESPONSE`.
///
/// The emulator uses `words` as message; Google's servers have their own.
public enum ProviderFault: String, CaseIterable, Sendable {
  case issuerUnreachable
  case issuerMismatch
  case discoveryFailed
  case keysUnavailable
  case clientRefused
  case badSignature
  case wrongIssuer
  case wrongAudience
  /// The ID token has expired, or its times are in the future.
  case staleToken
  /// The ID token is not a JWT, or lacks a time.
  case unreadableToken

  /// The emulator's message.
  public var words: String {
    switch self {
    case .issuerUnreachable: "the provider's server cannot be reached"
    case .issuerMismatch: "the provider has another issuer than the project's configuration"
    case .discoveryFailed: "the issuer does not return a discovery document"
    case .keysUnavailable: "the provider does not return its signing keys"
    case .clientRefused: "the provider refuses the project's client"
    case .badSignature: "the ID token's signature is of none of the provider's keys"
    case .wrongIssuer: "its issuer is not that of the project's configuration"
    case .wrongAudience: "its client is not that of the project's configuration"
    case .staleToken: "its times are not those of now"
    case .unreadableToken: "the ID token is malformed"
    }
  }

  /// A part of the message of Google's servers.
  private var productionWords: String? {
    switch self {
    case .issuerUnreachable: "Error connecting to the given credential's issuer"
    case .issuerMismatch, .discoveryFailed, .keysUnavailable: nil
    case .wrongIssuer: "does not match the expected one in config"
    case .wrongAudience: "does not match the expected audience"
    case .clientRefused: "error=invalid_client"
    case .badSignature: "Unable to verify the ID Token signature"
    case .staleToken: "is stale to sign-in"
    case .unreadableToken: "Unable to parse the ID Token"
    }
  }

  /// Recognizes the problem in a refusal's message.
  public init?(reportedBy detail: String) {
    let found = Self.allCases.first { fault in
      [fault.words, fault.productionWords].contains { $0.map { detail.contains($0) } ?? false }
    }
    guard let found else { return nil }
    self = found
  }

  /// The hint for the owner of the project.
  public var hint: String {
    switch self {
    case .issuerUnreachable:
      "check the provider's issuer in the project's configuration, and that its server runs and can be "
        + "reached from the backend"
    case .issuerMismatch:
      "write the issuer in the project's configuration as the provider's discovery document does, to "
        + "the last slash"
    case .discoveryFailed:
      "check the issuer in the project's configuration: below it, /.well-known/openid-configuration must"
        + " return the discovery document"
    case .keysUnavailable:
      "have the provider return its signing keys at the jwks_uri of its discovery document"
    case .clientRefused:
      "check the provider's client identifier and secret in the project's configuration"
    case .badSignature:
      "have the provider publish the keys it signs with, at the jwks_uri of its discovery document"
    case .wrongIssuer:
      "write the issuer in the project's configuration as the ID token's iss has it, to the last slash, or"
        + " pass a token of the configured issuer"
    case .wrongAudience:
      "pass an ID token that was made for the client identifier of the project's configuration"
    case .staleToken:
      "sign in at the provider again for a new ID token; if that is refused too, set the clocks of the"
        + " provider and the backend to the same time"
    case .unreadableToken:
      "pass the id_token that the provider gave for the sign-in, a JWT with the claims iat and exp"
    }
  }
}
