import CShims

/// The open connections of a server: since when each makes the server wait, and for what.
///
/// libmicrohttpd only notices connections that are silent. One that sends a byte now and then would keep its place
/// for ever, and with enough of them nobody else would get in.
struct ConnectionTable {
  enum Phase {
    /// The head of the first request comes.
    case head
    /// Between two requests, or in the head of the next.
    case idle
    /// The head is there, the body is not.
    case body
    /// The server is at work, or sends.
    case busy
    /// The server has broken it off.
    case ending
  }

  private struct Entry {
    let socket: Int32
    /// The client's address.
    let peer: SIMD16<UInt8>
    var phase = Phase.head
    var since: MonotonicTime
    /// Bytes of body.
    var received = 0
    /// The same when it was looked at last.
    var seen = 0
    /// Whether bytes waited to be read when it was looked at last; libmicrohttpd has run since.
    var hadUnread = false
  }

  private let limits: ServerLimits
  private let capacity: Int
  private var entries: [OpaquePointer: Entry] = [:]
  private var checked = MonotonicTime(nanoseconds: 0)

  init(limits: ServerLimits, capacity: Int) {
    self.limits = limits
    self.capacity = capacity
  }

  /// Adds a connection, and ends one that waits where there are too many.
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
    guard let known = entries[connection], known.phase != .ending else { return }
    entries[connection]?.phase = phase
    entries[connection]?.since = .now
    entries[connection]?.received = 0
    entries[connection]?.seen = 0
    entries[connection]?.hadUnread = false
  }

  mutating func received(_ count: Int, from connection: OpaquePointer) {
    entries[connection]?.received += count
  }

  /// How many connections there are too many.
  private var surplus: Int {
    entries.count < capacity ? 0 : entries.values.count { $0.phase != .ending } - capacity
  }

  /// Ends connections that have made the server wait longest, first of the client that has most of those.
  ///
  /// One that has just been opened, or whose request has arrived and is only not read yet, stays.
  private mutating func makeRoom(at now: MonotonicTime) {
    let surplus = surplus
    guard surplus > 0 else { return }
    let waiting = entries.filter { _, entry in
      entry.phase != .busy && entry.phase != .ending && entry.since.advanced(by: Self.grace) <= now
        && luath_server_unread(entry.socket) == 0
    }
    var counts: [SIMD16<UInt8>: Int] = [:]
    for entry in waiting.values { counts[entry.peer, default: 0] += 1 }
    let order = waiting.sorted { one, other in
      let (left, right) = (counts[one.value.peer] ?? 0, counts[other.value.peer] ?? 0)
      return left == right ? one.value.since < other.value.since : left > right
    }
    for (connection, entry) in order.prefix(surplus) {
      entries[connection]?.phase = .ending
      luath_server_break(entry.socket)
    }
  }

  /// How long a connection is left alone.
  private static let grace = Duration.milliseconds(100)

  // MARK: Deadlines

  /// When connections are to be looked at again; nil while there are none.
  var nextCheck: MonotonicTime? {
    guard !entries.isEmpty else { return nil }
    let interval = surplus > 0 ? Self.grace : .seconds(1)
    return checked.advanced(by: min(interval, limits.headTimeout, limits.bodyTimeout))
  }

  /// Ends the connections whose time is up, once a second.
  mutating func check(at now: MonotonicTime) {
    guard let next = nextCheck, next <= now else { return }
    checked = now
    makeRoom(at: now)
    for (connection, entry) in entries where entry.phase != .busy && entry.phase != .ending {
      let hasUnread = luath_server_unread(entry.socket) > 0
      // A loop that was held up has not read yet what came in time.
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

  /// Ends the connections that keep the server turning without a byte being read.
  ///
  /// libmicrohttpd 0.9.75 does so when the line before a chunk is longer than its buffer.
  mutating func endStuck() {
    for (connection, entry) in entries
    where entry.phase == .body && luath_server_unread(entry.socket) > 0 {
      dismissStuck(connection)
    }
  }

  private mutating func dismissStuck(_ connection: OpaquePointer) {
    dismiss(connection, "400 Bad Request")
  }

  /// How long a connection may be in its phase.
  private func time(for entry: Entry) -> Duration {
    switch entry.phase {
    case .head: limits.headTimeout
    // libmicrohttpd ends those that are silent, so that this is the time of a slow head.
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
