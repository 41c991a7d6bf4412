import Synchronization

/// One request on its way: who waits for it and which transfer carries it.
///
/// Sendable, because after its making only the loop's thread touches it: begin, cancel and the end
/// of the transfer all run there. Only `isCancelled` is set from other threads, and that is atomic.
final class Exchange: @unchecked Sendable {
  let request: HTTPRequest
  let pool: TransferPool
  /// When the caller asked for it; timeout and duration count from here.
  let submitted = MonotonicTime.now
  /// Takes the result, on the loop's thread.
  var done: ((Result<HTTPResponse, HTTPError>) -> Void)?
  var transfer: Transfer?
  /// Its place in the queue while it waits for a transfer.
  var place: Int?
  /// What ends it when it waits for too long.
  var timer: TimerToken?
  /// How long it waited in the queue; nil when it did not.
  var waited: Duration?
  private let cancelled = Atomic(false)

  init(_ request: HTTPRequest, pool: TransferPool) {
    self.request = request
    self.pool = pool
  }

  /// Whether it was cancelled; then it must not start any more.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Keeps it from starting, from any thread; `EventLoop.cancel` ends it.
  func markCancelled() { cancelled.store(true, ordering: .relaxed) }

  /// What is left of the request's time.
  var timeLeft: Duration { request.timeout - submitted.duration(to: .now) }

  /// Hands the result to who waits; only the first counts.
  func finish(_ result: Result<HTTPResponse, HTTPError>) {
    guard let done else { return }
    self.done = nil
    done(result)
  }
}

/// A client's easy handles that wait for the next request; only the loop's thread takes and gives.
final class TransferPool: @unchecked Sendable {
  let options: ClientOptions
  private var idle: [Transfer] = []

  init(options: ClientOptions) {
    self.options = options
  }

  func take() throws(HTTPError) -> Transfer {
    if let transfer = idle.popLast() { return transfer }
    return try Transfer(options)
  }

  func give(_ transfer: Transfer) { idle.append(transfer) }
}
