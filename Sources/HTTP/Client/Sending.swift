/// A request that was begun without a task.
public struct Sending: Sendable {
  let loop: EventLoop
  let exchange: Exchange

  /// Ends the transfer soon, with the failure `cancelled`; after its end this does nothing.
  public func cancel() {
    let exchange = exchange
    loop.perform { exchange.cancel() }
  }
}
