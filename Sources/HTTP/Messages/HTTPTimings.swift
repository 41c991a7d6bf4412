/// How long the phases of an exchange took, in microseconds.
///
/// What did not take place is nil: on a kept connection neither name look-up nor connecting.
public struct HTTPTimings: Sendable, Equatable {
  /// Until it was the request's turn, and until a kept connection was free.
  public var blocked: Int?
  /// The look-up of the host's name.
  public var nameLookup: Int?
  /// The TCP handshake, and what a proxy took before TLS.
  public var connect: Int?
  /// The TLS handshake.
  public var tls: Int?
  /// Sending, where it can be told from waiting.
  ///
  /// libcurl does not say when the last byte of a request has left.
  public var send: Int
  /// From the connection, or the begin of the request, to the answer's first byte.
  public var wait: Int
  /// From the answer's first byte to its last.
  public var receive: Int

  /// Names each phase's time.
  public init(
    blocked: Int? = nil, nameLookup: Int? = nil, connect: Int? = nil, tls: Int? = nil,
    send: Int = 0, wait: Int, receive: Int
  ) {
    self.blocked = blocked
    self.nameLookup = nameLookup
    self.connect = connect
    self.tls = tls
    self.send = send
    self.wait = wait
    self.receive = receive
  }

  /// The phases of two exchanges, one after the other.
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
