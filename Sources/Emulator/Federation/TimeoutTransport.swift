internal import HTTP

/// A transport that limits every request's timeout to `patience`.
struct TimeoutTransport: Transport {
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
