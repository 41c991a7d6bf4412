import HTTP
import Scripting

extension LoadRecorder {
  /// Counts an exchange: as failed when no answer came, or one that says the server is to blame.
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

  /// Whether it was cancelled because a person ended the run, which says nothing of the target.
  private func isBrokenOff(_ exchange: ObservedExchange) -> Bool {
    guard wasStopped, case .failure(let error) = exchange.result else { return false }
    return error.code == .cancelled
  }

  /// The operation; of other servers the method, the host and the path.
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
