/// A request that was begun without a task.
public struct Sending: Sendable {
  let loop: EventLoop
  let exchange: Exchange

  /// Ends the transfer soon, with the failure `cancelled`; after its end this does nothing.
  public func cancel() {
    let (loop, exchange) = (loop, exchange)
    exchange.markCancelled()
    loop.perform { loop.cancel(exchange) }
  }
}
