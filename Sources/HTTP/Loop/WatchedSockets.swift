import CShims

/// What epoll watches of libcurl's sockets, so that it is told only what changes.
///
/// Between two transfers on one connection libcurl wants its socket forgotten and watched again. Such
/// a socket stays with epoll, asleep, until something happens on it. Only sockets whose opening and
/// closing libcurl reports are kept so: the number of another may name a new socket at any time.
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

  /// Whether nobody waits for this event; then its socket is forgotten for good.
  func dismisses(_ socket: Int32) -> Bool {
    guard self[socket].contains(.asleep) else { return false }
    luath_poll_forget(descriptor, socket)
    self[socket] = .reported
    return true
  }

  /// A socket of this number was opened.
  func opened(_ socket: Int32) { self[socket] = .reported }

  /// The socket is about to be closed, which ends the watch as well.
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
