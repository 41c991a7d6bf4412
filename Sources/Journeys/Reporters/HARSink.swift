import System
import HTTP
import Host

/// Writes an HTTP archive (HAR 1.2) of every exchange; each attempt of a journey is a page.
///
/// Entries are written at once, so that a long run needs no extra memory.
final class HARSink: EventSink {
  let wantsExchanges = true
  private let output: ReportOutput
  private var began: Int64 = 0
  private var pages: [JSON] = []
  /// How often each page has begun: a repeated journey begins its page again.
  private var begun: [String: Int] = [:]
  private var hasEntries = false

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    switch event.kind {
    case .runStart(let start):
      began = Timestamp.milliseconds(of: start.started) ?? 0
      let creator: JSON = ["name": "luath", "version": .string(start.luath)]
      output.write("{\"log\":{\"version\":\"1.2\",\"creator\":\(creator.encoded()),\"entries\":[")
    case .journeyStart:
      guard let place = event.place else { return }
      begun[Self.name(place), default: 0] += 1
      pages.append([
        "startedDateTime": .string(moment(event.at)), "id": .string(page(place)),
        "title": .string(place.journey),
        "pageTimings": [:],
      ])
    case .exchange(let exchange):
      output.write((hasEntries ? ",\n" : "\n") + entry(exchange, event).encoded())
      hasEntries = true
    case .runEnd:
      output.write("\n],\"pages\":\(JSON.array(pages).encoded())}}\n")
    default: break
    }
  }

  func end() throws(SinkError) { try output.close() }

  private func moment(_ at: Double) -> String {
    Timestamp.text(milliseconds: began + (at.isFinite ? Int64(max(at, 0)) : 0))
  }

  private func page(_ place: EventSource) -> String {
    let name = Self.name(place)
    let count = begun[name] ?? 1
    return count > 1 ? "\(name) (again \(count - 1))" : name
  }

  private static func name(_ place: EventSource) -> String {
    place.attempt == 1 ? place.journey : "\(place.journey) (attempt \(place.attempt))"
  }

  private func entry(_ exchange: ExchangeEvent, _ event: RunEvent) -> JSON {
    var entry: JSONObject = [:]
    if let place = event.place { entry["pageref"] = .string(page(place)) }
    let timings = HARTimings(exchange.timings)
    entry["startedDateTime"] = .string(moment(event.at))
    entry["time"] = .number(timings.total)
    entry["request"] = HARMessages.request(exchange)
    entry["response"] = HARMessages.response(exchange)
    entry["cache"] = [:]
    entry["timings"] = timings.json
    // No custom members: readers take an entry with them for one of Chrome's.
    let operation = exchange.operation.map { "\($0), " } ?? ""
    entry["comment"] = .string(
      "\(operation)from \(exchange.from.rawValue) to \(exchange.to.rawValue)")
    return .object(entry)
  }
}
