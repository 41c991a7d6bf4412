import CShims

/// The open connections of a server, with their deadlines.
///
/// libmicrohttpd only times out silent connections. A client that sends a byte now and then could
/// keep its connection forever, and many of those would block all others.
struct ConnectionTable {
  enum Phase {
    /// Reading the head of the first request.
    case head
    /// Between two requests, or reading the head of the next one.
    case idle
    case body
    /// Handling the request or sending the response.
    case busy
    /// The server has closed it.
    case ending
  }

  private struct Entry {
    let socket: Int32
    /// The client's address.
    let peer: SIMD16<UInt8>
    var phase = Phase.head
    var since: MonotonicTime
    /// Received bytes of the body.
    var received = 0
    /// `received` at the last check.
    var seen = 0
    /// Whether there was unread data at the last check; libmicrohttpd has run since.
    var hadUnread = false

    mutating func enter(_ next: Phase) {
      guard phase != .ending else { return }
      phase = next
      since = .now
      received = 0
      seen = 0
      hadUnread = false
    }
  }

  private let limits: ServerLimits
  private let capacity: Int
  private var entries: [OpaquePointer: Entry] = [:]
  private var checked = MonotonicTime(nanoseconds: 0)
  /// When to look for connections to close again, after a search that found too few.
  private var nextSearch = MonotonicTime(nanoseconds: 0)
  /// How often all connections were looked at to close some.
  private(set) var searches = 0

  init(limits: ServerLimits, capacity: Int) {
    self.limits = limits
    self.capacity = capacity
  }

  /// Adds a connection; above the capacity, closes one that keeps the server waiting.
  mutating func opened(_ connection: OpaquePointer) {
    var peer = SIMD16<UInt8>()
    withUnsafeMutableBytes(of: &peer) { bytes in
      luath_server_peer(connection, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    entries[connection] = Entry(
      socket: luath_server_socket(connection), peer: peer, since: .now)
    if surplus > 0 { makeRoom(at: .now) }
  }

  mutating func closed(_ connection: OpaquePointer) { entries[connection] = nil }

  mutating func moved(_ connection: OpaquePointer, to phase: Phase) {
    // Found once: this runs twice for each request.
    guard let index = entries.index(forKey: connection) else { return }
    entries.values[index].enter(phase)
  }

  mutating func received(_ count: Int, from connection: OpaquePointer) {
    entries[connection]?.received += count
  }

  /// How many connections exceed the capacity.
  private var surplus: Int {
    entries.count < capacity ? 0 : entries.values.count { $0.phase != .ending } - capacity
  }

  /// Closes the connections that kept the server waiting longest, first those of the client with the most.
  ///
  /// Keeps new connections, and those whose request has arrived but was not read yet. It closes more than necessary, and
  /// does nothing for a while if it found too few, because it looks at every connection: otherwise many clients that
  /// connect at once, and send half a request, would keep the server busy.
  private mutating func makeRoom(at now: MonotonicTime) {
    let surplus = surplus
    guard surplus > 0, now >= nextSearch else { return }
    searches += 1
    let waiting = entries.filter { _, entry in
      entry.phase != .busy && entry.phase != .ending && entry.since.advanced(by: Self.grace) <= now
        && luath_server_unread(entry.socket) == 0
    }
    var counts: [SIMD16<UInt8>: Int] = [:]
    for entry in waiting.values { counts[entry.peer, default: 0] += 1 }
    var order = waiting.map { connection, entry in
      (connection, entry.socket, entry.since, count: counts[entry.peer] ?? 0)
    }
    order.sort { $0.count == $1.count ? $0.2 < $1.2 : $0.count > $1.count }
    if order.count < surplus { nextSearch = now.advanced(by: Self.searchPause) }
    for (connection, socket, _, _) in order.prefix(surplus + capacity / 16) {
      entries[connection]?.phase = .ending
      luath_server_break(socket)
    }
  }

  /// How long a connection is kept in any case.
  private static let grace = Duration.milliseconds(100)

  /// The pause after a search that found too few connections to close.
  private static let searchPause = Duration.milliseconds(10)

  // MARK: Deadlines

  /// When to check the connections again; nil when there are none.
  var nextCheck: MonotonicTime? {
    guard !entries.isEmpty else { return nil }
    let interval = surplus > 0 ? Self.grace : .seconds(1)
    return checked.advanced(by: min(interval, limits.headTimeout, limits.bodyTimeout))
  }

  /// Closes the connections past their deadline, once a second.
  mutating func check(at now: MonotonicTime) {
    guard let next = nextCheck, next <= now else { return }
    checked = now
    makeRoom(at: now)
    for (connection, entry) in entries where entry.phase != .busy && entry.phase != .ending {
      let hasUnread = luath_server_unread(entry.socket) > 0
      // A delayed loop has not yet read what arrived in time.
      let isFair = !hasUnread || entry.hadUnread
      if isFair, entry.since.advanced(by: time(for: entry)) <= now {
        dismiss(connection, "408 Request Timeout")
      } else if entry.phase == .body, hasUnread, entry.hadUnread, entry.received == entry.seen {
        dismissStuck(connection)
      }
      entries[connection]?.seen = entry.received
      entries[connection]?.hadUnread = hasUnread
    }
  }

  /// Closes the connections that keep the server spinning without reading a byte.
  ///
  /// libmicrohttpd 0.9.75 does that when the line before a chunk is longer than its buffer.
  mutating func endStuck() {
    for (connection, entry) in entries
    where entry.phase == .body && luath_server_unread(entry.socket) > 0 {
      dismissStuck(connection)
    }
  }

  private mutating func dismissStuck(_ connection: OpaquePointer) {
    dismiss(connection, "400 Bad Request")
  }

  /// Returns the time limit of a connection's phase.
  private func time(for entry: Entry) -> Duration {
    switch entry.phase {
    case .head: limits.headTimeout
    // libmicrohttpd closes silent connections, so this limit is for slow heads.
    case .idle: limits.idleTimeout + limits.headTimeout
    case .body: limits.bodyTimeout + .seconds(entry.received / limits.slowestBody)
    case .busy, .ending: .seconds(1 << 40)
    }
  }

  private mutating func dismiss(_ connection: OpaquePointer, _ status: String) {
    guard let entry = entries[connection] else { return }
    entries[connection]?.phase = .ending
    luath_server_dismiss(
      entry.socket, "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
  }
}
