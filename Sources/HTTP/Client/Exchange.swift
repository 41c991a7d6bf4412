/// One request on its way: who waits for it and which transfer carries it.
///
/// Sendable, because after its making only the loop's thread touches it: begin, cancel and the end
/// of the transfer all run there.
final class Exchange: @unchecked Sendable {
  let request: HTTPRequest
  let pool: TransferPool
  /// Takes the result, on the loop's thread.
  var done: ((Result<HTTPResponse, HTTPError>) -> Void)?
  var transfer: Transfer?
  private(set) var isCancelled = false

  init(_ request: HTTPRequest, pool: TransferPool) {
    self.request = request
    self.pool = pool
  }

  /// Hands the result to who waits; only the first counts.
  func finish(_ result: Result<HTTPResponse, HTTPError>) {
    guard let done else { return }
    self.done = nil
    done(result)
  }

  func cancel() {
    isCancelled = true
    if let transfer { transfer.engine?.abandon(transfer) }
    finish(.failure(.cancelled(request.url)))
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
