internal import System
internal import HTTP

/// The latest requests of an emulator with their responses, for the dashboard and the event stream.
///
/// It only stores references and parses nothing, so that a request costs next to nothing while nobody watches.
final class EventLog {
  /// The maximum number of kept exchanges.
  static let limit = 2000
  /// The maximum number of exchanges in one response.
  static let mostListed = 500
  /// The maximum total size of all kept bodies, in bytes.
  static let byteLimit = 8 << 20
  /// The maximum size of one kept body, in bytes; longer bodies are cut.
  static let bodyLimit = 64 << 10

  private let clock: EmulatorClock
  private var ring: [LoggedExchange?] = []
  /// The size of each kept exchange's bodies, in a separate array, so that the sums touch no other memory.
  private var sizes: [Int] = []
  private var bytes = 0
  private var oldest = 1
  /// The number of the newest exchange; 0 before the first.
  private(set) var newest = 0
  /// Called for each exchange while a client watches.
  var onGrowth: (() -> Void)?
  /// Called with each exchange, for a log; nil for none.
  var onExchange: ((LoggedExchange) -> Void)?

  init(clock: EmulatorClock) {
    self.clock = clock
  }

  /// Adds an exchange that took `nanoseconds`.
  func note(
    _ request: HTTPRequest, _ response: ServerResponse, nanoseconds: Int64,
    caller: LoggedExchange.Caller = .network
  ) {
    // Allocate at the first exchange only: an idle emulator stays small.
    if ring.isEmpty {
      ring = [LoggedExchange?](repeating: nil, count: Self.limit)
      sizes = [Int](repeating: 0, count: Self.limit)
    }
    newest += 1
    let place = newest % Self.limit
    // Overwriting the oldest exchange is cheaper than removing it first.
    if newest - oldest >= Self.limit {
      oldest += 1
      bytes -= sizes[place]
    }
    let exchange = LoggedExchange(
      number: newest,
      request: request.body.count > Self.bodyLimit ? Self.cut(request) : request,
      response: response.body.count > Self.bodyLimit ? Self.cut(response) : response,
      caller: caller, time: clock.milliseconds, nanoseconds: nanoseconds,
      requestSize: request.body.count, responseSize: response.body.count)
    ring[place] = exchange
    onExchange?(exchange)
    let size = min(request.body.count, Self.bodyLimit) + min(response.body.count, Self.bodyLimit)
    sizes[place] = size
    bytes += size
    while bytes > Self.byteLimit, oldest < newest { forgetOldest() }
    onGrowth?()
  }

  /// The exchange with a number; nil when it is no longer kept or does not exist yet.
  subscript(number: Int) -> LoggedExchange? {
    guard number >= oldest, number <= newest else { return nil }
    return ring[number % Self.limit]
  }

  var numbers: ClosedRange<Int>? { newest == 0 ? nil : oldest...newest }

  /// The kept exchanges, newest first, without copying them.
  var newestFirst: some Sequence<LoggedExchange> {
    (numbers.map { Array($0.reversed()) } ?? []).lazy.compactMap { self[$0] }
  }

  private func forgetOldest() {
    let place = oldest % Self.limit
    bytes -= sizes[place]
    sizes[place] = 0
    ring[place] = nil
    oldest += 1
  }

  private static func cut(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.body = Array(request.body.prefix(bodyLimit))
    return request
  }

  private static func cut(_ response: ServerResponse) -> ServerResponse {
    var response = response
    response.body = Array(response.body.prefix(bodyLimit))
    return response
  }
}

/// One request and its response as logged: unmasked, and sharing the original storage.
///
/// It must not be shown. `VisibleExchange` is the version for users and tools.
struct LoggedExchange {
  /// The sender of the request.
  enum Caller {
    /// A client or an administrator, over HTTP.
    case network
    /// A user who pressed a button on the dashboard.
    case page
  }

  /// A unique number, counted from one.
  let number: Int
  let request: HTTPRequest
  let response: ServerResponse
  let caller: Caller
  /// When the response was ready, in milliseconds since 1970 on the emulator's clock.
  let time: Int64
  /// The time until the response, in nanoseconds of the machine's clock.
  let nanoseconds: Int64
  /// The sizes of both bodies in bytes, before they were cut.
  let requestSize: Int
  let responseSize: Int
}

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
