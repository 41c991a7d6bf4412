/// What a server accepts before it refuses.
public struct ServerLimits: Sendable {
  /// About the largest request line and headers, in bytes; more is answered with 431.
  public var headerBytes: Int

  /// The largest request body, in bytes, also after it is inflated; more is answered with 413.
  public var bodyBytes: Int

  /// How many connections may be open; more wait until one ends.
  public var connections: Int

  /// How long a connection may be silent before it is closed, in whole seconds.
  public var idleTimeout: Duration

  /// How much of a streamed answer may wait for its client, in bytes; with more the client is cut off.
  public var streamBytes: Int

  /// Creates limits that suit a server for one machine.
  public init(
    headerBytes: Int = 20 << 10, bodyBytes: Int = 10 << 20, connections: Int = 1024,
    idleTimeout: Duration = .seconds(30), streamBytes: Int = 1 << 20
  ) {
    self.headerBytes = headerBytes
    self.bodyBytes = bodyBytes
    self.connections = connections
    self.idleTimeout = idleTimeout
    self.streamBytes = streamBytes
  }
}
