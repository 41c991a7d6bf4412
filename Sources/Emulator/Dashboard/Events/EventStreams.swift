internal import Encoding
internal import HTTP

/// Everybody who watches the events of an emulator as they happen (Server-Sent Events).
///
/// Events go out in small batches, so that a storm of requests does not become a storm of messages.
final class EventStreams {
  /// What a watcher is told.
  enum Kind: Sendable {
    /// Every exchange, for tools.
    case exchanges
    /// Only that something has happened, for the page, which then fetches itself anew.
    case signals
  }

  private struct Watcher {
    let stream: ServerStream
    let kind: Kind
    /// The number of the last exchange it was told of.
    var position: Int
  }

  private static let pause = Duration.milliseconds(60)
  /// How many exchanges one message batch has at most; a watcher is told of those it misses.
  private static let batch = 100

  private let log: EventLog
  private let loop: EventLoop
  private let show: (LoggedExchange) -> VisibleExchange
  private var watchers: [ObjectIdentifier: Watcher] = [:]
  private var isPlanned = false

  init(log: EventLog, loop: EventLoop, show: @escaping (LoggedExchange) -> VisibleExchange) {
    self.log = log
    self.loop = loop
    self.show = show
  }

  /// What an answer that goes on for ever begins with.
  static let head = ServerResponse(
    text: "retry: 1000\n\n", type: "text/event-stream",
    headers: ["Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"])

  /// Tells `stream` of all that happens from now on, or after the exchange it names.
  func add(_ stream: ServerStream, _ kind: Kind, after number: Int?) {
    let position = number.map { min(max(0, $0), log.newest) } ?? log.newest
    watchers[ObjectIdentifier(stream)] = Watcher(stream: stream, kind: kind, position: position)
    log.onGrowth = { [weak self] in self?.plan() }
    if position < log.newest { plan() }
  }

  func remove(_ stream: ServerStream) {
    watchers[ObjectIdentifier(stream)] = nil
    if watchers.isEmpty { log.onGrowth = nil }
  }

  private func plan() {
    guard !isPlanned else { return }
    isPlanned = true
    _ = loop.schedule(after: Self.pause) { [weak self] in self?.send() }
  }

  private func send() {
    isPlanned = false
    let newest = log.newest
    // Several watchers mostly want the same messages.
    var messages: [Int: String] = [:]
    for (id, watcher) in watchers where watcher.position < newest {
      watchers[id]?.position = newest
      switch watcher.kind {
      case .signals: watcher.stream.send("id: \(newest)\nevent: change\ndata: \(newest)\n\n")
      case .exchanges:
        var text = ""
        let first = max(watcher.position + 1, newest - Self.batch + 1, log.numbers?.lowerBound ?? 1)
        let missed = first - watcher.position - 1
        if missed > 0 { text += "event: missed\ndata: {\"count\":\(missed)}\n\n" }
        for number in first...newest {
          text += messages[number] ?? ""
          guard messages[number] == nil, let exchange = log[number] else { continue }
          // JSON has no line breaks of its own, which would end a line of data.
          let message = "id: \(number)\nevent: exchange\ndata: \(show(exchange).json.encoded())\n\n"
          messages[number] = message
          text += message
        }
        watcher.stream.send(text)
      }
    }
  }
}
