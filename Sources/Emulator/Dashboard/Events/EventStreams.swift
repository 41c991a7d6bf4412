internal import System
internal import HTTP

/// The clients that watch the events of an emulator (Server-Sent Events).
///
/// Events are sent in small batches, so that many requests do not become as many messages.
final class EventStreams {
  /// The events that a watcher receives.
  enum Kind: Sendable {
    /// All exchanges, for tools.
    case exchanges
    /// Only a signal that something changed; the dashboard then fetches its page again.
    case signals
  }

  private struct Watcher {
    let stream: ServerStream
    let kind: Kind
    /// The number of the last exchange that was sent to it.
    var position: Int
  }

  private static let pause = Duration.milliseconds(60)
  /// The maximum number of exchanges in a batch; a watcher receives the number of those it missed.
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

  /// The head of the event stream's response.
  static let head = ServerResponse(
    text: "retry: 1000\n\n", type: "text/event-stream",
    headers: ["Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"])

  /// Sends events to `stream`, from now on or after the exchange `number`.
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
    // Watchers usually need the same messages.
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
          // Encoded JSON has no line breaks, which would end the data line.
          let message = "id: \(number)\nevent: exchange\ndata: \(show(exchange).json.encoded())\n\n"
          messages[number] = message
          text += message
        }
        watcher.stream.send(text)
      }
    }
  }
}
