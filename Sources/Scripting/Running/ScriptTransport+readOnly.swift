import HTTP

/// Refusing what would change accounts, where a script only reads.
extension ScriptTransport {
  /// Hosts whose calls change accounts; the other ones only prove who somebody is.
  private static let backends: Set<String> = [
    "identitytoolkit.googleapis.com", "www.googleapis.com",
  ]

  /// Calls that are no GET and change nothing all the same.
  private static let reading: Set<String> = [
    "accounts:lookup", "accounts:query", "accounts:createAuthUri", "getAccountInfo",
    "createAuthUri",
  ]

  /// Why a request is not sent; nil when it may be.
  func refusal(of request: HTTPRequest) -> HTTPError? {
    guard isReadOnly, !["GET", "HEAD", "OPTIONS"].contains(request.method) else { return nil }
    let url = answering(request.url)
    guard Self.backends.contains(url.host) || isEmulator(url) else { return nil }
    let name = url.path.split(separator: "/").last.map(String.init) ?? ""
    // A token is asked for by POST, and is no change.
    guard !Self.reading.contains(name), name != "token" else { return nil }
    return HTTPError(
      .unsupported, "a plan only reads, and \(request.method) \(name.printable) is a change",
      hint: "return an operation from plan instead: luath batch run carries it out")
  }
}
