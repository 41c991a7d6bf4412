import CCurl
import CShims

/// The libcurl multi handle of a loop: it owns the connections and decides which sockets to watch.
///
/// Created with the first request, because initializing libcurl takes a few milliseconds.
final class TransferEngine {
  /// Further transfers wait in the queue; well below the usual limit of open files.
  private static let maximumActive = 256
  /// Further requests fail at once; each takes about a kilobyte, and its body.
  static let maximumWaiting = 262_144

  private unowned let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  /// Kept until the connections are closed, because they report to it.
  private let sockets: WatchedSockets
  private var active: [Transfer] = []
  private var waiting = ExchangeQueue()
  private let maximumWaiting: Int

  /// When libcurl must be called even if no socket is ready.
  private(set) var deadline: MonotonicTime?

  private static let library: CURLcode = {
    luath_curl_keep_memory()
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

  init(loop: EventLoop, maximumWaiting: Int = maximumWaiting) throws(HTTPError) {
    guard Self.library == CURLE_OK, let multi = curl_multi_init() else {
      throw HTTPError(
        .internalFailure, "libcurl cannot be initialised",
        hint: "check the installation of libcurl and the free memory")
    }
    self.loop = loop
    self.maximumWaiting = maximumWaiting
    self.multi = multi
    sockets = loop.poller.sockets
    luath_curl_multi_connect(
      multi, socketChanged, alarmChanged, Unmanaged.passUnretained(self).toOpaque())
    // By default libcurl keeps four times as many connections as transfers are running, so that
    // nearly all would be closed in a pause.
    luath_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumActive)
  }

  deinit { curl_multi_cleanup(multi) }

  // MARK: Transfers

  /// Starts an exchange, or adds it to the queue.
  func begin(_ exchange: Exchange) {
    guard active.count >= Self.maximumActive || !waiting.isEmpty else { return launch(exchange) }
    guard waiting.count < maximumWaiting else {
      return exchange.finish(.failure(.tooManyWaiting(exchange.request, maximumWaiting)))
    }
    waiting.append(exchange)
    exchange.timer = loop.schedule(after: exchange.timeLeft) { [unowned self] in
      waiting.remove(exchange)
      exchange.timer = nil
      exchange.finish(.failure(.noTurn(exchange.request)))
    }
  }

  private func launch(_ exchange: Exchange) {
    do throws(HTTPError) {
      guard exchange.timeLeft > .zero else { throw .noTurn(exchange.request) }
      let transfer = try exchange.pool.take()
      do throws(HTTPError) {
        try transfer.prepare(exchange)
      } catch {
        exchange.pool.give(transfer)
        throw error
      }
      transfer.join(self, sockets)
      transfer.index = active.count
      active.append(transfer)
      exchange.transfer = transfer
      curl_multi_add_handle(multi, transfer.easy)
    } catch {
      exchange.finish(.failure(error))
    }
  }

  /// Ends an exchange without a result and closes its connection, on which a response may still arrive.
  func drop(_ exchange: Exchange) {
    if let transfer = exchange.transfer { release(transfer) }
    leaveQueue(exchange)
  }

  private func leaveQueue(_ exchange: Exchange) {
    waiting.remove(exchange)
    if let timer = exchange.timer.take() { loop.cancel(timer) }
  }

  /// Whether an exchange in the queue can start; `collect` starts it.
  var mustLaunch: Bool { !waiting.isEmpty && active.count < Self.maximumActive }

  private func release(_ transfer: Transfer) {
    curl_multi_remove_handle(multi, transfer.easy)
    active.swapAt(transfer.index, active.count - 1)
    active[transfer.index].index = transfer.index
    active.removeLast()
    let exchange = transfer.exchange
    transfer.clear()
    exchange?.transfer = nil
    exchange?.pool.give(transfer)
  }

  /// Delivers finished transfers and starts waiting ones.
  func collect() {
    var code = CURLE_OK
    while let easy = luath_curl_multi_next_done(multi, &code) {
      guard let context = luath_curl_get_context(easy) else { continue }
      let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      let result = transfer.result(code)
      let exchange = transfer.exchange
      release(transfer)
      exchange?.finish(result)
    }
    while active.count < Self.maximumActive, let exchange = waiting.popFirst() {
      leaveQueue(exchange)
      if exchange.isCancelled {
        exchange.finish(.failure(.cancelled(exchange.request.url)))
      } else {
        exchange.waited = exchange.submitted.duration(to: .now)
        launch(exchange)
      }
    }
  }

  func close() {
    var stopped = active.compactMap(\.exchange)
    while let exchange = waiting.popFirst() { stopped.append(exchange) }
    for exchange in stopped {
      exchange.markCancelled()
      drop(exchange)
      exchange.finish(.failure(.cancelled(exchange.request.url)))
    }
  }

  // MARK: Sockets and timers

  func advance(_ now: MonotonicTime) {
    guard let deadline, deadline <= now else { return }
    self.deadline = nil
    act(on: -1, events: 0)
    collect()
  }

  func socketIsReady(_ socket: Int32, readable: Bool, writable: Bool, failed: Bool) {
    var events: Int32 = 0
    if readable { events |= CURL_CSELECT_IN }
    if writable { events |= CURL_CSELECT_OUT }
    if failed { events |= CURL_CSELECT_ERR }
    act(on: socket, events: events)
  }

  private func act(on socket: Int32, events: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, events, &running)
  }

  fileprivate func watch(_ socket: Int32, what: Int32, isKnown: Bool) {
    guard what != CURL_POLL_REMOVE else { return sockets.forget(socket) }
    let isWatched = sockets.watch(
      socket, isKnown: isKnown, reading: what & CURL_POLL_IN != 0,
      writing: what & CURL_POLL_OUT != 0)
    if isWatched, !isKnown {
      curl_multi_assign(multi, socket, UnsafeMutableRawPointer(bitPattern: 1))
    }
  }

  fileprivate func setAlarm(_ milliseconds: Int) {
    deadline = milliseconds < 0 ? nil : MonotonicTime.now.advanced(by: .milliseconds(milliseconds))
  }
}

// libcurl calls these on the loop's thread, from within the functions above.

private func socketChanged(
  easy: UnsafeMutableRawPointer?, socket: Int32, what: Int32, context: UnsafeMutableRawPointer?,
  mark: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  let engine = Unmanaged<TransferEngine>.fromOpaque(context).takeUnretainedValue()
  engine.watch(socket, what: what, isKnown: mark != nil)
  return 0
}

private func alarmChanged(
  multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<TransferEngine>.fromOpaque(context).takeUnretainedValue().setAlarm(milliseconds)
  return 0
}

extension EventLoop {
  /// Starts an exchange on the loop's thread; `done` receives the result, an error if the loop has stopped.
  func begin(
    _ exchange: Exchange, _ done: @escaping (Result<HTTPResponse, HTTPError>) -> Void
  ) {
    exchange.done = done
    guard !exchange.isCancelled else {
      return exchange.finish(.failure(.cancelled(exchange.request.url)))
    }
    guard !isClosed else {
      return exchange.finish(
        .failure(
          HTTPError(
            .cancelled, "the event loop \(name) has stopped", hint: "send before stopping it")))
    }
    do throws(HTTPError) {
      if engine == nil { engine = try TransferEngine(loop: self) }
      engine?.begin(exchange)
    } catch {
      exchange.finish(.failure(error))
    }
  }

  /// Ends an exchange that was marked as canceled, on the loop's thread.
  func cancel(_ exchange: Exchange) {
    engine?.drop(exchange)
    exchange.finish(.failure(.cancelled(exchange.request.url)))
  }
}
