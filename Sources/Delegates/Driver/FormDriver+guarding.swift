internal import HTTP

extension FormDriver {
  /// Passwords and codes go from the provider's own pages to the provider's own servers, encrypted
  /// unless they stay on this machine, and never in an address.
  func guardSecrets(
    _ request: Outgoing, _ visit: Visit, _ reader: FormReader
  ) throws(FormDriverError) {
    guard request.holdsSecret else { return }
    func refuse(_ url: WebURL, _ reason: String) -> FormDriverError {
      reader.failure(.unsafePage, on: visit.place(url), because: reason)
    }
    if request.method == "GET" {
      throw refuse(request.url, "its form would put the password into the address")
    }
    for url in [request.page, request.url].compactMap({ $0 }) {
      if let reason = visit.objection(toSecretsAt: url, answers) { throw refuse(url, reason) }
    }
  }
}
