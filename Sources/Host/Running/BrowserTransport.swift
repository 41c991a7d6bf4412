import HTTP

/// Sends the requests of a delegate that acts as a browser.
struct BrowserTransport: Transport {
  let transport: ScriptTransport

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    try await transport.send(request, from: .browser)
  }

  func pause(for duration: Duration) async throws(HTTPError) {
    try await transport.pause(for: duration)
  }
}
