/// What a server accepts before it refuses.
public struct ServerLimits: Sendable {
  /// About the largest request line and headers, in bytes; more is answered with 431.
  public var headerBytes: Int

  /// The largest request body, in bytes; more is answered with 413.
  public var bodyBytes: Int

  /// How many connections may be open; more wait until one ends.
  public var connections: Int

  /// How long a connection may be silent before it is closed, in whole seconds.
  public var idleTimeout: Duration

  /// Creates limits that suit a server for one machine.
  public init(
    headerBytes: Int = 32 << 10, bodyBytes: Int = 10 << 20, connections: Int = 1024,
    idleTimeout: Duration = .seconds(30)
  ) {
    self.headerBytes = headerBytes
    self.bodyBytes = bodyBytes
    self.connections = connections
    self.idleTimeout = idleTimeout
  }
}
