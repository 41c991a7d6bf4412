/// Decides when to poll for tokens again (RFC 8628 section 3.5).
struct DevicePolling {
  enum Action {
    case ask(after: Double)
    case fail(OIDCError)
  }

  /// Seconds between two requests.
  private(set) var interval: Double
  private let expiresIn: Double
  private let limit: Double?
  private var failures = 0

  init(_ flow: DeviceFlow, limit: Double?) {
    interval = flow.interval
    expiresIn = Double(flow.expiresIn)
    self.limit = limit
  }

  func begin() -> Action { next(0) }

  /// Returns the action after an error, `elapsed` seconds after the start.
  mutating func after(_ error: OIDCError, elapsed: Double) -> Action {
    switch (error.code, error.providerError) {
    case (.refused, "authorization_pending"?): failures = 0
    case (.refused, "slow_down"?):
      failures = 0
      interval += 5
    case (.refused, "expired_token"?): return .fail(Self.expired)
    // Microsoft uses the second name.
    case (.refused, "access_denied"?), (.refused, "authorization_declined"?):
      return .fail(
        OIDCError(
          .denied, "the person refused the device's sign-in",
          hint: "start again, and have the page's question answered with yes",
          providerError: error.providerError))
    case (.transport, _) where failures < 3:
      // "On encountering a connection timeout, clients MUST unilaterally reduce their polling
      // frequency"; doubling is what the section suggests.
      failures += 1
      interval *= 2
    default: return .fail(error)
    }
    return next(elapsed)
  }

  private func next(_ elapsed: Double) -> Action {
    let end = min(limit ?? expiresIn, expiresIn)
    guard elapsed < end else { return .fail(end < expiresIn ? Self.timedOut : Self.expired) }
    return .ask(after: min(interval, end - elapsed))
  }

  private static let expired = OIDCError(
    .deviceCodeExpired, "nobody entered the device's code in time",
    hint: "start the device's sign-in again, and open the page at once",
    providerError: "expired_token")

  private static let timedOut = OIDCError(
    .timedOut, "the person was not done in time",
    hint: "start the device's sign-in again, with a longer timeout")
}
