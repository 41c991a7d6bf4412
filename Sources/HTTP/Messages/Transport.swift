/// Sends requests and returns responses.
///
/// The only protocol of this module that tests of other modules replace.
public protocol Transport {
  /// Sends a request and waits for the whole response; a status of 400 or above is not an error.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse

  /// Waits before a retry; throws when the task is canceled.
  func pause(for duration: Duration) async throws(HTTPError)
}

extension Transport {
  /// Waits with `Task.sleep`.
  public func pause(for duration: Duration) async throws(HTTPError) {
    guard (try? await Task.sleep(for: duration)) != nil else { throw .cancelledPause }
  }
}

extension HTTPError {
  static let cancelledPause = HTTPError(
    .cancelled, "the wait before another try was cancelled", hint: "")
}
