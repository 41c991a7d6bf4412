import CShims
import Glibc

/// Waits for sockets and for wake-ups by other threads.
///
/// All methods except `wake` must be called on the loop's thread.
struct Poller: ~Copyable {
  /// An event that ended the wait.
  enum Source {
    case transfer(socket: Int32, readable: Bool, writable: Bool, failed: Bool)
    case server(socket: Int32)
    /// The peer of a socket has closed its connection.
    case end(socket: Int32)
  }

  private static let wakeMark: UInt64 = 1 << 62
  private static let serverMark: UInt64 = 1 << 61
  private static let endMark: UInt64 = 1 << 60
  private static let capacity = 8

  private let descriptor: Int32
  private let wakeDescriptor: Int32
  let sockets: WatchedSockets
  private let ready: UnsafeMutablePointer<luath_ready>

  init() throws(HTTPError) {
    descriptor = luath_poll_open()
    wakeDescriptor = luath_poll_wake_open()
    sockets = WatchedSockets(descriptor: descriptor)
    ready = .allocate(capacity: Self.capacity)
    guard
      descriptor >= 0, wakeDescriptor >= 0,
      luath_poll_watch(descriptor, wakeDescriptor, false, true, false, Self.wakeMark) == 0
    else {
      throw HTTPError(
        .internalFailure, "no descriptor is left for an event loop",
        hint: "raise the limit of open files (ulimit -n)")
    }
  }

  deinit {
    ready.deallocate()
    close(wakeDescriptor)
    close(descriptor)
  }

  /// Ends the current or next wait; safe from any thread.
  func wake() {
    var one: UInt64 = 1
    // The write fails when the counter is full; then a wake-up is pending already.
    _ = write(wakeDescriptor, &one, 8)
  }

  func watchServer(_ socket: Int32) -> Bool {
    luath_poll_watch(descriptor, socket, false, true, false, Self.serverMark | UInt64(socket)) == 0
  }

  /// Watches for the peer of a socket to close its connection, once.
  func watchEnd(_ socket: Int32) {
    // If this fails for lack of memory, the next write notices the end.
    _ = luath_poll_watch_end(descriptor, socket, Self.endMark | UInt64(socket))
  }

  func forget(_ socket: Int32) { luath_poll_forget(descriptor, socket) }

  /// Waits and passes the events to `handle`; nil waits without limit.
  func wait(nanoseconds: Int64?, _ handle: (Source) -> Void) {
    let count = luath_poll_wait(descriptor, ready, Int32(Self.capacity), nanoseconds ?? -1)
    for index in 0..<Int(count) {
      let event = ready[index]
      if event.mark == Self.wakeMark {
        var count: UInt64 = 0
        _ = read(wakeDescriptor, &count, 8)
      } else if event.mark & Self.serverMark != 0 {
        handle(.server(socket: Int32(truncatingIfNeeded: event.mark)))
      } else if event.mark & Self.endMark != 0 {
        handle(.end(socket: Int32(truncatingIfNeeded: event.mark)))
      } else if !sockets.dismisses(Int32(event.mark)) {
        handle(
          .transfer(
            socket: Int32(event.mark), readable: event.readable, writable: event.writable,
            failed: event.failed))
      }
    }
  }
}

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
  /// The number of the lane that each socket belongs to.
  private var lanes: [UInt16] = []

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// The lane that watches a socket.
  func lane(of socket: Int32) -> Int {
    lanes.indices.contains(Int(socket)) ? Int(lanes[Int(socket)]) : 0
  }

  func watch(
    _ socket: Int32, of lane: Int, isKnown: Bool, reading: Bool, writing: Bool
  ) -> Bool {
    while lanes.count <= Int(socket) { lanes.append(0) }
    lanes[Int(socket)] = UInt16(lane)
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
