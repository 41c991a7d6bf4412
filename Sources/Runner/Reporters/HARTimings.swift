import Encoding

/// The phases of an exchange as HAR 1.2 counts them: -1 for what did not take place, TLS also
/// within `connect`.
struct HARTimings {
  let json: JSON
  /// Milliseconds: the sum of the phases, TLS once.
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
