/// What a server accepts before it refuses.
public struct ServerLimits: Sendable {
  /// About the largest request line and headers, in bytes; more is answered with 431.
  public var headerBytes: Int

  /// The largest request body, in bytes, also after it is inflated; more is answered with 413.
  public var bodyBytes: Int

  /// How many bytes of bodies may be in memory at once, of all connections; more is answered with 503.
  public var totalBodyBytes: Int

  /// How many connections may be open; a further one ends that which has made the server wait longest.
  public var connections: Int

  /// How long a connection may be silent before it is closed, in whole seconds.
  public var idleTimeout: Duration

  /// How long a client may take for the head of a request.
  public var headTimeout: Duration

  /// How long a client may take for a body, and one second more for each `slowestBody` bytes of it.
  public var bodyTimeout: Duration

  /// The fewest bytes of a body in a second.
  let slowestBody = 64 << 10

  /// How much of a streamed answer may wait for its client, in bytes; with more the client is cut off.
  public var streamBytes: Int

  /// Creates limits that suit a server for one machine.
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
