internal import HTTP

extension FormDriver {
  /// Checks where a request sends passwords and codes.
  ///
  /// They may go only from the provider's own pages to its own servers, encrypted unless on this
  /// machine, and never in a URL.
  func guardSecrets(
    _ request: Outgoing, _ visit: DriveState, _ reader: FormReader
  ) throws(FormDriverError) {
    guard request.holdsSecret else { return }
    if request.method == "GET" {
      throw reader.failure(
        .unsafePage, on: visit.place(request.url),
        because: "its form would put the answer into the address")
    }
    for url in [request.page, request.url].compactMap({ $0 }) {
      guard let objection = visit.objection(toSecretsAt: url, answers) else { continue }
      throw reader.failure(
        .unsafePage, on: visit.place(url), because: objection.reason, trustable: objection.origin)
    }
  }
}
