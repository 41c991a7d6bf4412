/// The limits of a server.
public struct ServerLimits: Sendable {
  /// The approximate maximum of request line and headers in bytes; more gets status 431.
  var headerBytes: Int

  /// The maximum request body in bytes, also after decompression; more gets status 413.
  var bodyBytes: Int

  /// The maximum of all bodies in memory at once, in bytes; more gets status 503.
  var totalBodyBytes: Int

  /// The maximum of open connections; a further one closes the one that kept the server waiting longest.
  var connections: Int

  /// How long a connection may be silent before it is closed, in whole seconds.
  var idleTimeout: Duration

  /// The time limit for the head of a request.
  var headTimeout: Duration

  /// The time limit for a body, plus one second for each `slowestBody` bytes.
  var bodyTimeout: Duration

  /// The minimum rate of a body in bytes per second.
  let slowestBody = 64 << 10

  /// The maximum of buffered bytes of a streamed response; above it the client is disconnected.
  var streamBytes: Int

  /// Creates limits; the defaults suit a server for one machine.
  public init(
    headerBytes: Int = 20 << 10, bodyBytes: Int = 10 << 20,
    totalBodyBytes: Int = 1 << 30, connections: Int = 1024, idleTimeout: Duration = .seconds(30),
    headTimeout: Duration = .seconds(30), bodyTimeout: Duration = .seconds(60),
    streamBytes: Int = 1 << 20
  ) {
    self.headerBytes = headerBytes
    self.bodyBytes = bodyBytes
    self.totalBodyBytes = totalBodyBytes
    self.connections = connections
    self.idleTimeout = idleTimeout
    self.headTimeout = headTimeout
    self.bodyTimeout = bodyTimeout
    self.streamBytes = streamBytes
  }
}
