/// A request sent without a task.
public struct Sending: Sendable {
  let loop: EventLoop
  let exchange: Exchange

  /// Ends the transfer soon with the error `cancelled`; has no effect after its end.
  public func cancel() {
    let (loop, exchange) = (loop, exchange)
    exchange.markCancelled()
    loop.perform { loop.cancel(exchange) }
  }
}
