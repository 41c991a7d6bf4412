internal import HTTP

/// A transport that waits for no answer longer than its patience lasts.
struct HastyTransport: Transport {
  let transport: any Transport
  let patience: Duration

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    var request = request
    request.timeout = min(request.timeout, patience)
    return try await transport.send(request)
  }

  func pause(for duration: Duration) async throws(HTTPError) {
    try await transport.pause(for: duration)
  }
}
