/// Whatever carries a request to a server and brings its answer back.
///
/// The only seam of this room: tests of other rooms put a recorder here.
public protocol Transport {
  /// Sends a request and waits for the whole answer; a status of 400 or above is no error.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}
