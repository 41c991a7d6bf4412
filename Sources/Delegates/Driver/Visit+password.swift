internal import HTTP

/// Why passwords and codes must not go to an address.
struct SecretObjection {
  let reason: String
  /// The origin to name in `trustedOrigins`, where that would help.
  let origin: String?
}

extension Visit {
  /// Why passwords and codes must not go to an address, or be typed into a page there; nil when they
  /// may.
  ///
  /// They go to the provider's own servers, encrypted unless they stay on this machine.
  func objection(toSecretsAt url: WebURL, _ answers: SignInAnswers) -> SecretObjection? {
    if url.scheme != "https", !url.isLoopback {
      return SecretObjection(reason: "the connection is not encrypted", origin: nil)
    }
    let isTrusted = answers.trustedOrigins.contains { $0.lowercased() == url.origin }
    if isTrusted || Site.isProvider(start, url) { return nil }
    return SecretObjection(
      reason: "it is not of the site the sign-in began at, \(start.origin)", origin: url.origin)
  }
}
