internal import HTTP

/// Forwards requests and records the exchanges.
final class RecordingTransport: Transport {
  typealias Exchange = (request: HTTPRequest, response: HTTPResponse)

  private let transport: any Transport
  private(set) var exchanges: [Exchange] = []

  init(_ transport: any Transport) { self.transport = transport }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await transport.send(request)
    exchanges.append((request, response))
    return response
  }

  func pause(for duration: Duration) async throws(HTTPError) {
    try await transport.pause(for: duration)
  }
}
