import CCurl
import CShims

/// The transfers of a loop, in lanes, and the queue of those that wait for their turn.
///
/// Created with the first request, because initializing libcurl takes a few milliseconds.
final class TransferEngine {
  /// How many transfers run at the same time where the limit of open files allows it; further ones wait in the queue.
  private static let mostActive = 1024
  /// Further requests fail at once; each takes about a kilobyte, and its body.
  static let maximumWaiting = 262_144

  private unowned let loop: EventLoop
  /// Kept until the connections are closed, because they report to it.
  private let sockets: WatchedSockets
  private var lanes: [TransferLane] = []
  private var active: [Transfer] = []
  private var waiting = ExchangeQueue()
  private let maximumActive: Int
  private let maximumWaiting: Int

  private static let library: CURLcode = {
    luath_curl_keep_memory()
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

  init(
    loop: EventLoop, maximumActive: Int? = nil, maximumWaiting: Int = maximumWaiting
  ) throws(HTTPError) {
    self.loop = loop
    // A quarter, because a process has several loops, and other files.
    let room = luath_socket_room(UInt32(4 * Self.mostActive))
    self.maximumActive = maximumActive ?? max(min(Self.mostActive, Int(room) / 4), 64)
    self.maximumWaiting = maximumWaiting
    sockets = loop.poller.sockets
    try addLane()
  }

  private func addLane() throws(HTTPError) {
    guard Self.library == CURLE_OK, let multi = curl_multi_init() else {
      throw HTTPError(
        .internalFailure, "libcurl cannot be initialised",
        hint: "check the installation of libcurl and the free memory")
    }
    lanes.append(TransferLane(multi, number: lanes.count, sockets: sockets))
  }

  /// The first lane with room, so that few transfers share their connections.
  private func freeLane() throws(HTTPError) -> TransferLane {
    if let lane = lanes.first(where: \.hasRoom) { return lane }
    try addLane()
    return lanes[lanes.count - 1]
  }

  /// When libcurl must be called even if no socket is ready.
  var deadline: MonotonicTime? {
    var first: MonotonicTime?
    for lane in lanes {
      if let deadline = lane.deadline { first = min(first ?? deadline, deadline) }
    }
    return first
  }

  // MARK: Transfers

  /// Starts an exchange, or adds it to the queue.
  func begin(_ exchange: Exchange) {
    guard active.count >= maximumActive || !waiting.isEmpty else { return launch(exchange) }
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
      let lane = try freeLane()
      let transfer = try exchange.pool.take()
      do throws(HTTPError) {
        try transfer.prepare(exchange)
      } catch {
        exchange.pool.give(transfer)
        throw error
      }
      transfer.join(lane, sockets)
      transfer.index = active.count
      active.append(transfer)
      exchange.transfer = transfer
      lane.add(transfer)
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
  var mustLaunch: Bool { !waiting.isEmpty && active.count < maximumActive }

  private func release(_ transfer: Transfer) {
    transfer.lane?.remove(transfer)
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
    // By index: a result may start further requests, and these add a lane.
    var index = 0
    while index < lanes.count {
      while let (transfer, code) = lanes[index].nextDone() {
        let result = transfer.result(code)
        let exchange = transfer.exchange
        release(transfer)
        exchange?.finish(result)
      }
      index += 1
    }
    while active.count < maximumActive, let exchange = waiting.popFirst() {
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
    var isDue = false
    for lane in lanes where lane.advance(now) { isDue = true }
    if isDue { collect() }
  }

  func socketIsReady(_ socket: Int32, readable: Bool, writable: Bool, failed: Bool) {
    var events: Int32 = 0
    if readable { events |= CURL_CSELECT_IN }
    if writable { events |= CURL_CSELECT_OUT }
    if failed { events |= CURL_CSELECT_ERR }
    lanes[sockets.lane(of: socket)].act(on: socket, events: events)
  }
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
