/// The duration of each phase of an exchange, in microseconds.
///
/// Nil means that the phase did not happen, such as DNS lookup and connecting on a reused connection.
public struct HTTPTimings: Sendable, Equatable {
  /// Waiting in the queue and for a free connection.
  public var blocked: Int?
  /// The DNS lookup.
  public var nameLookup: Int?
  /// The TCP handshake, and a proxy's work before TLS.
  public var connect: Int?
  /// The TLS handshake.
  public var tls: Int?
  /// Sending, as far as it can be separated from waiting.
  ///
  /// libcurl does not report when the last byte of a request was sent.
  public var send: Int = 0
  /// From the connection, or the start of the request, to the first byte of the response.
  public var wait: Int
  /// From the first byte of the response to its last.
  public var receive: Int

  /// Adds the timings of two consecutive exchanges.
  static func + (left: HTTPTimings, right: HTTPTimings) -> HTTPTimings {
    func sum(_ left: Int?, _ right: Int?) -> Int? {
      guard left != nil || right != nil else { return nil }
      return (left ?? 0) + (right ?? 0)
    }
    return HTTPTimings(
      blocked: sum(left.blocked, right.blocked),
      nameLookup: sum(left.nameLookup, right.nameLookup),
      connect: sum(left.connect, right.connect), tls: sum(left.tls, right.tls),
      send: left.send + right.send, wait: left.wait + right.wait,
      receive: left.receive + right.receive)
  }
}
