import CShims

/// The libcurl sockets that epoll watches; tells epoll only what changes.
///
/// Between two transfers on a connection, libcurl stops watching its socket and starts again. Such
/// a socket stays in epoll, marked as asleep, until it has an event. This is done only for sockets
/// whose opening and closing libcurl reports, because the number of any other may be reused.
final class WatchedSockets {
  private struct Facts: OptionSet {
    let rawValue: UInt8
    static let reading = Facts(rawValue: 1)
    static let writing = Facts(rawValue: 2)
    static let asleep = Facts(rawValue: 4)
    static let reported = Facts(rawValue: 8)
  }

  private let descriptor: Int32
  private var facts: [Facts] = []

  init(descriptor: Int32) { self.descriptor = descriptor }

  func watch(_ socket: Int32, isKnown: Bool, reading: Bool, writing: Bool) -> Bool {
    let known = self[socket]
    var wanted: Facts = reading ? .reading : []
    if writing { wanted.insert(.writing) }
    let watched = known.intersection([.reading, .writing])
    if known.contains(.reported) {
      self[socket] = wanted.union(.reported)
      if watched == wanted { return true }
    }
    let isWatched =
      luath_poll_watch(
        descriptor, socket, isKnown || !watched.isEmpty, reading, writing, UInt64(socket)) == 0
    if !isWatched, known.contains(.reported) { self[socket] = .reported }
    return isWatched
  }

  func forget(_ socket: Int32) {
    if self[socket].contains(.reported) {
      self[socket].insert(.asleep)
    } else {
      luath_poll_forget(descriptor, socket)
    }
  }

  /// Whether the event is of a sleeping socket, which is then removed from epoll.
  func dismisses(_ socket: Int32) -> Bool {
    guard self[socket].contains(.asleep) else { return false }
    luath_poll_forget(descriptor, socket)
    self[socket] = .reported
    return true
  }

  /// Records a newly opened socket.
  func opened(_ socket: Int32) { self[socket] = .reported }

  /// Records that a socket is about to be closed, which also ends the watch.
  func closing(_ socket: Int32) { self[socket] = [] }

  private subscript(socket: Int32) -> Facts {
    get { facts.indices.contains(Int(socket)) ? facts[Int(socket)] : [] }
    set {
      guard socket >= 0 else { return }
      while facts.count <= Int(socket) { facts.append([]) }
      facts[Int(socket)] = newValue
    }
  }
}
