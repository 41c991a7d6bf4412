@testable import HTTP

/// A network on which nobody answers: what the emulator asks of others is not what is tested.
struct Nowhere: Transport {
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    throw HTTPError(.connect, "nobody answers while fuzzing", hint: "")
  }
}
