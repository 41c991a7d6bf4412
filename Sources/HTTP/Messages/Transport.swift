/// Whatever carries a request to a server and brings its answer back.
///
/// The only seam of this room: tests of other rooms put a recorder here.
public protocol Transport {
  /// Sends a request and waits for the whole answer; a status of 400 or above is no error.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse

  /// Waits before a request is sent again; fails as cancelled when the task is.
  func pause(for duration: Duration) async throws(HTTPError)
}

extension Transport {
  /// Waits by the clock of the runtime.
  public func pause(for duration: Duration) async throws(HTTPError) {
    guard (try? await Task.sleep(for: duration)) != nil else { throw .cancelledPause }
  }
}

extension HTTPError {
  static let cancelledPause = HTTPError(
    .cancelled, "the wait before another try was cancelled", hint: "")
}
