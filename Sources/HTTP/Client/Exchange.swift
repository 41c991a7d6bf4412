import Synchronization

/// A pending request, with its caller and its transfer.
///
/// Sendable, because after `init` only the loop's thread uses it: begin, cancel and the end of the
/// transfer all run there. Only `isCancelled` is set from other threads, and it is atomic.
final class Exchange: @unchecked Sendable {
  let request: HTTPRequest
  let pool: TransferPool
  /// When the caller sent it; timeout and duration count from here.
  let submitted = MonotonicTime.now
  /// Receives the result, on the loop's thread.
  var done: ((Result<HTTPResponse, HTTPError>) -> Void)?
  var transfer: Transfer?
  /// The index in the queue while it waits for a transfer.
  var place: Int?
  /// The timer that ends the wait in the queue.
  var timer: TimerToken?
  /// How long it waited in the queue; nil when it did not wait.
  var waited: Duration?
  private let cancelled = Atomic(false)

  init(_ request: HTTPRequest, pool: TransferPool) {
    self.request = request
    self.pool = pool
  }

  /// Whether it was canceled; it must not start then.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Prevents it from starting, from any thread; `EventLoop.cancel` ends it.
  func markCancelled() { cancelled.store(true, ordering: .relaxed) }

  var timeLeft: Duration { request.timeout - submitted.duration(to: .now) }

  /// Passes the result to the caller; later calls have no effect.
  func finish(_ result: Result<HTTPResponse, HTTPError>) {
    guard let done else { return }
    self.done = nil
    done(result)
  }
}

/// The idle easy handles of a client; used on the loop's thread only.
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
