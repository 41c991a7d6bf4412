internal import HTTP

extension Visit {
  /// Why passwords and codes must not go to an address, or be typed into a page there; nil when they
  /// may.
  ///
  /// They go to the provider's own servers, encrypted unless they stay on this machine.
  func objection(toSecretsAt url: WebURL, _ answers: SignInAnswers) -> String? {
    if url.scheme != "https", !url.isLoopback { return "the connection is not encrypted" }
    let isTrusted = answers.trustedOrigins.contains { $0.lowercased() == url.origin }
    if isTrusted || Site.isProvider(start, url) { return nil }
    return "it is not of the site the sign-in began at, \(start.origin)"
  }
}
