import CCurl
import CShims

/// A libcurl multi handle: it owns connections and decides which sockets to watch.
///
/// A loop has several when many transfers run, because libcurl looks for a free connection among all of a host.
final class TransferLane {
  private static let maximumActive = 64
  /// More connections than transfers, because they may be to many hosts.
  private static let maximumConnections = 256

  private let number: Int
  private let multi: UnsafeMutableRawPointer
  private let sockets: WatchedSockets
  private var active = 0
  private var mayHaveEnded = false
  /// When libcurl must be called even if no socket is ready.
  private(set) var deadline: MonotonicTime?

  init(_ multi: UnsafeMutableRawPointer, number: Int, sockets: WatchedSockets) {
    self.multi = multi
    self.number = number
    self.sockets = sockets
    luath_curl_multi_connect(
      multi, socketChanged, alarmChanged, Unmanaged.passUnretained(self).toOpaque())
    // By default libcurl keeps four times as many connections as transfers are running, so that
    // nearly all would be closed in a pause.
    luath_curl_multi_set_long(
      multi, CURLMOPT_MAXCONNECTS, number == 0 ? Self.maximumConnections : Self.maximumActive)
  }

  deinit { curl_multi_cleanup(multi) }

  var hasRoom: Bool { active < Self.maximumActive }

  func add(_ transfer: Transfer) {
    active += 1
    mayHaveEnded = true
    curl_multi_add_handle(multi, transfer.easy)
  }

  func remove(_ transfer: Transfer) {
    active -= 1
    mayHaveEnded = true
    curl_multi_remove_handle(multi, transfer.easy)
  }

  /// The next finished transfer, with its result; nil when there is none.
  func nextDone() -> (Transfer, CURLcode)? {
    guard mayHaveEnded else { return nil }
    var code = CURLE_OK
    while let easy = luath_curl_multi_next_done(multi, &code) {
      guard let context = luath_curl_get_context(easy) else { continue }
      return (Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue(), code)
    }
    mayHaveEnded = false
    return nil
  }

  /// Calls libcurl if its deadline has come; returns whether it had.
  func advance(_ now: MonotonicTime) -> Bool {
    guard let deadline, deadline <= now else { return false }
    self.deadline = nil
    act(on: -1, events: 0)
    return true
  }

  func act(on socket: Int32, events: Int32) {
    mayHaveEnded = true
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, events, &running)
  }

  fileprivate func watch(_ socket: Int32, what: Int32, isKnown: Bool) {
    guard what != CURL_POLL_REMOVE else { return sockets.forget(socket) }
    let isWatched = sockets.watch(
      socket, of: number, isKnown: isKnown, reading: what & CURL_POLL_IN != 0,
      writing: what & CURL_POLL_OUT != 0)
    if isWatched, !isKnown {
      curl_multi_assign(multi, socket, UnsafeMutableRawPointer(bitPattern: 1))
    }
  }

  fileprivate func setAlarm(_ milliseconds: Int) {
    deadline =
      milliseconds < 0
      ? nil
      // Earlier than any `now`, without a call for the time.
      : milliseconds == 0
        ? MonotonicTime(nanoseconds: 0)
        : MonotonicTime.now.advanced(by: .milliseconds(milliseconds))
  }
}

// libcurl calls these on the loop's thread, from within the functions above.

private func socketChanged(
  easy: UnsafeMutableRawPointer?, socket: Int32, what: Int32, context: UnsafeMutableRawPointer?,
  mark: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  let lane = Unmanaged<TransferLane>.fromOpaque(context).takeUnretainedValue()
  lane.watch(socket, what: what, isKnown: mark != nil)
  return 0
}

private func alarmChanged(
  multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<TransferLane>.fromOpaque(context).takeUnretainedValue().setAlarm(milliseconds)
  return 0
}
