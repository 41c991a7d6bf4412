internal import HTTP

/// Why passwords and codes must not be sent to a URL.
struct SecretObjection {
  let reason: String
  /// The origin to add to `trustedOrigins`, if that would help.
  let origin: String?
}

extension DriveState {
  /// Returns why passwords and codes must not be sent to a URL, or entered on a page there.
  ///
  /// They may go to the provider's own servers, encrypted unless on this machine. Nil means allowed.
  func objection(toSecretsAt url: WebURL, _ answers: SignInAnswers) -> SecretObjection? {
    if url.scheme != "https", !url.isLoopback {
      return SecretObjection(reason: "the connection is not encrypted", origin: nil)
    }
    let isTrusted = answers.trustedOrigins.contains { $0.lowercased() == url.origin }
    if isTrusted || HostTrust.isProvider(start, url) { return nil }
    return SecretObjection(
      reason: "it is not of the site the sign-in began at, \(start.origin)", origin: url.origin)
  }
}
