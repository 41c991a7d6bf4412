import System

/// The phases of an exchange in HAR 1.2: -1 for a missing phase; `connect` includes TLS.
struct HARTimings {
  let json: JSON
  /// The sum of the phases in milliseconds, with TLS counted once.
  let total: Double

  init(_ timings: ExchangeEvent.Timings) {
    let connect = timings.connect.map { $0 + (timings.tls ?? 0) }
    let parts = [
      ("blocked", timings.blocked), ("dns", timings.dns), ("connect", connect),
      ("send", timings.send), ("wait", timings.wait), ("receive", timings.receive),
      ("ssl", timings.tls),
    ].map { ($0.0, $0.1.map { ($0 * 1000).rounded() / 1000 }) }
    json = .object(JSONObject(parts.map { ($0.0, $0.1.map(JSON.number) ?? -1) }))
    total = parts.dropLast().reduce(0) { $0 + ($1.1 ?? 0) }
  }
}
