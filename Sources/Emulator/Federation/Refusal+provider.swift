internal import IdentityToolkit
internal import OIDC

extension Refusal {
  /// A refusal for an error of a provider, with the fault's name, from which clients find the cause.
  init(_ error: OIDCError, _ words: String) {
    let fault: ProviderFault? =
      switch error.code {
      case .issuerUnreachable, .transport: .issuerUnreachable
      case .issuerMismatch: .issuerMismatch
      case .discoveryFailed: .discoveryFailed
      case .keysUnavailable: .keysUnavailable
      case .wrongIssuer: .wrongIssuer
      case .wrongAudience: .wrongAudience
      case .clientRefused: .clientRefused
      case .badSignature, .unknownKey: .badSignature
      case .expired, .notYetValid: .staleToken
      default: nil
      }
    let parts = [words, fault?.words, error.message].compactMap(\.self)
    self.init(.invalidIdPResponse, parts.joined(separator: ": "))
  }
}
