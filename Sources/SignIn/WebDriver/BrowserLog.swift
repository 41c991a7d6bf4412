internal import System

/// Something that a browser logged about a page.
public struct BrowserEntry: Sendable, Equatable {
  /// The kinds of entries.
  public enum Kind: Sendable, Equatable {
    /// A line of the console, or an uncaught error.
    case console(ConsoleLine)
    /// A request, when its response came or the page was closed.
    case request(BrowserRequest)
  }

  /// What was logged.
  public let kind: Kind
  /// When it happened, in milliseconds since 1970 by the browser's clock.
  public let moment: Double
}

/// A line of a page's console, or an error that the page did not catch.
public struct ConsoleLine: Sendable, Equatable {
  /// `error`, `warning`, `info` or `debug`.
  public let level: String
  /// The part of the browser that wrote it, such as `console-api`; `javascript` for uncaught errors.
  public let source: String
  /// The message, with secrets.
  public let text: String
}

/// A request that a page sent.
public struct BrowserRequest: Sendable, Equatable {
  /// The HTTP method.
  public let method: String
  /// The URL, with secrets; of a `data:` URL only its type.
  public let url: String
  /// What the response is for, such as `Document`, `Script` or `Fetch`.
  public let type: String
  /// The HTTP status; nil when there was no response yet.
  public internal(set) var status: Int?
  /// Why there was no response.
  public internal(set) var error: String?
}

/// Reads Chromium's logs, and puts requests and their responses together.
///
/// Chromedriver returns each entry of a log once, so a response may be in a later part of the log.
struct BrowserLog {
  private typealias Open = (request: BrowserRequest, moment: Double)

  /// Requests without a response so far, by Chromium's id.
  private var open: [String: Open] = [:]
  /// Their ids in order of time.
  private var order: [String] = []

  /// Reads entries of the logs `browser` and `performance`.
  mutating func read(console: [JSON], performance: [JSON]) -> [BrowserEntry] {
    var entries = console.compactMap(Self.line)
    for entry in performance {
      guard let text = entry["message"]?.string, let json = try? JSON.parse(Array(text.utf8)),
        let message = json["message"], let id = message["params"]?["requestId"]?.string
      else { continue }
      let moment = entry["timestamp"]?.number ?? 0
      if let done = read(message, id, moment) { entries.append(done) }
    }
    return entries.sorted { $0.moment < $1.moment }
  }

  /// Returns the requests that have no response, for the end of a page.
  mutating func rest() -> [BrowserEntry] {
    defer {
      open = [:]
      order = []
    }
    return order.compactMap { id in open[id].map(Self.entry) }
  }

  private mutating func read(_ message: JSON, _ id: String, _ moment: Double) -> BrowserEntry? {
    let parameters = message["params"] ?? .null
    switch message["method"]?.string {
    case "Network.requestWillBeSent":
      // A redirect repeats the id.
      let redirect = close(id) { $0.status = Self.status(parameters["redirectResponse"]) }
      let request = parameters["request"] ?? .null
      open[id] = (
        BrowserRequest(
          method: request["method"]?.string ?? "",
          url: request["url"]?.string.map { Page.withoutData($0) ?? $0 } ?? "",
          type: parameters["type"]?.string ?? "Other"),
        parameters["wallTime"]?.number.map { $0 * 1000 } ?? moment
      )
      order.append(id)
      return redirect
    case "Network.responseReceived":
      return close(id) { $0.status = Self.status(parameters["response"]) }
    case "Network.loadingFailed":
      return close(id) { $0.error = parameters["errorText"]?.string ?? "failed" }
    default: return nil
    }
  }

  private mutating func close(
    _ id: String, _ change: (inout BrowserRequest) -> Void
  ) -> BrowserEntry? {
    guard var found = open.removeValue(forKey: id) else { return nil }
    order.removeAll { $0 == id }
    change(&found.request)
    return Self.entry(found)
  }

  private static func entry(_ open: Open) -> BrowserEntry {
    BrowserEntry(kind: .request(open.request), moment: open.moment)
  }

  private static func status(_ response: JSON?) -> Int? {
    response?["status"]?.number.map { Int($0) }
  }

  private static func line(_ entry: JSON) -> BrowserEntry? {
    guard let text = entry["message"]?.string else { return nil }
    let level =
      switch entry["level"]?.string {
      case "SEVERE": "error"
      case "WARNING": "warning"
      case "DEBUG": "debug"
      default: "info"
      }
    return BrowserEntry(
      kind: .console(
        ConsoleLine(level: level, source: entry["source"]?.string ?? "other", text: text)),
      moment: entry["timestamp"]?.number ?? 0)
  }
}
