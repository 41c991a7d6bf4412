import HTTP
import Host

extension LoadRecorder {
  /// Counts an exchange.
  ///
  /// It failed when there was no response, or one with status 429 or 5xx.
  func exchanged(_ exchange: ObservedExchange) {
    note(exchange)
    if isBrokenOff(exchange) { return }
    let hasFailed =
      switch exchange.result {
      case .success(let response): response.status >= 500 || response.status == 429
      case .failure: true
      }
    count(
      Self.endpoint(of: exchange), duration: EventHub.milliseconds(exchange.duration),
      failed: hasFailed)
  }

  /// Whether the exchange was canceled because the user stopped the run; it says nothing about the target.
  private func isBrokenOff(_ exchange: ObservedExchange) -> Bool {
    guard wasStopped, case .failure(let error) = exchange.result else { return false }
    return error.code == .cancelled
  }

  /// Returns the operation of a Firebase call; for other servers the method, host and path.
  private static func endpoint(of exchange: ObservedExchange) -> String {
    let route = ExchangeRoute(exchange)
    let url = exchange.request.url
    switch route.receiver {
    case .toolkit: return route.operation ?? url.path
    default:
      let host = exchange.isEmulator ? "" : url.host
      return "\(exchange.request.method) \(host)\(url.path)"
    }
  }
}
