import HTTP
import Host
import System

/// Writes an HTTP archive (HAR 1.2) of every exchange; each attempt of a journey is a page.
///
/// Entries are written at once, so that a long run needs no extra memory.
final class HARSink: EventSink {
  let wantsExchanges = true
  private let output: ReportOutput
  private var clock: EventClock?
  private var pages: [JSON] = []
  /// How often each page has begun: a repeated journey begins its page again.
  private var begun: [String: Int] = [:]
  private var hasEntries = false

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    switch event.kind {
    case .runStart(let start):
      clock = EventClock(start)
      let creator: JSON = ["name": "luath", "version": .string(start.luath)]
      let comment = start.showsSecrets ? "\"comment\":\"it shows secrets (--show-secrets)\"," : ""
      output.write(
        "{\"log\":{\"version\":\"1.2\",\"creator\":\(creator.encoded()),\(comment)\"entries\":[")
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
    Timestamp.text(milliseconds: clock?.moment(at) ?? 0)
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

/// Encodes requests and responses as HAR 1.2.
enum HARMessages {
  static func request(_ exchange: ExchangeEvent) -> JSON {
    var members = common(exchange.request, exchange)
    members["method"] = .string(exchange.method)
    members["url"] = .string(exchange.url)
    members["queryString"] = .array(
      (WebURL(exchange.url)?.fields.pairs ?? []).map { pair($0.name, $0.value) })
    if let body = exchange.request.body {
      members["postData"] = [
        "mimeType": .string(body.mimeType), "params": [], "text": .string(body.text ?? ""),
      ]
    }
    return .object(members)
  }

  /// Encodes the response; if there was none, one with status 0, as browsers do.
  static func response(_ exchange: ExchangeEvent) -> JSON {
    let message = exchange.response ?? ExchangeEvent.Message()
    var members = common(message, exchange)
    members["status"] = .integer(Int64(exchange.status ?? 0))
    members["statusText"] = .string("")
    members["redirectURL"] = .string(
      message.headers.first { $0.name.lowercased() == "location" }?.value ?? "")
    var content: JSONObject = [
      "size": .integer(Int64(message.body?.size ?? 0)),
      "mimeType": .string(message.body?.mimeType ?? "x-unknown"),
    ]
    if let text = message.body?.text { content["text"] = .string(text) }
    if message.body?.isTruncated == true { content["comment"] = "cut off" }
    members["content"] = .object(content)
    if let error = exchange.error { members["_error"] = .string(error) }
    return .object(members)
  }

  private static func common(
    _ message: ExchangeEvent.Message, _ exchange: ExchangeEvent
  ) -> JSONObject {
    [
      "httpVersion": .string(exchange.protocolName ?? "HTTP/1.1"),
      // Cookie values would be secrets; the names are in the headers.
      "cookies": [],
      "headers": .array(message.headers.map { pair($0.name, $0.value) }),
      // HAR 1.2: -1 means unknown.
      "headersSize": -1,
      "bodySize": .integer(Int64(message.body?.size ?? 0)),
    ]
  }

  private static func pair(_ name: String, _ value: String) -> JSON {
    ["name": .string(name), "value": .string(value)]
  }
}

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
