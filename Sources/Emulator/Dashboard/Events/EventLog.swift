internal import HTTP

/// The last requests of an emulator with their answers, for the page and the event stream.
///
/// It keeps references and looks at nothing, so that a request costs next to nothing while nobody watches.
final class EventLog {
  /// How many exchanges are kept.
  static let limit = 500
  /// How many bytes all kept bodies may have together.
  static let byteLimit = 8 << 20
  /// Longer bodies are cut.
  static let bodyLimit = 64 << 10

  private let clock: EmulatorClock
  private var ring: [LoggedExchange?] = []
  private var bytes = 0
  private var oldest = 1
  /// The number of the newest exchange; 0 before the first.
  private(set) var newest = 0
  /// Called for each exchange while somebody watches.
  var onGrowth: (() -> Void)?

  init(clock: EmulatorClock) {
    self.clock = clock
  }

  /// Keeps an exchange that took `nanoseconds`.
  func note(
    _ request: HTTPRequest, _ response: ServerResponse, nanoseconds: Int64,
    caller: LoggedExchange.Caller = .network
  ) {
    // Not before there is something to keep: an idle emulator stays small.
    if ring.isEmpty { ring = [LoggedExchange?](repeating: nil, count: Self.limit) }
    newest += 1
    let exchange = LoggedExchange(
      number: newest, request: Self.cut(request), response: Self.cut(response), caller: caller,
      time: clock.milliseconds, nanoseconds: nanoseconds, requestSize: request.body.count,
      responseSize: response.body.count)
    if newest - oldest >= Self.limit { forgetOldest() }
    ring[newest % Self.limit] = exchange
    bytes += exchange.keptBytes
    while bytes > Self.byteLimit, oldest < newest { forgetOldest() }
    onGrowth?()
  }

  /// The exchange with a number, unless it is forgotten or still to come.
  subscript(number: Int) -> LoggedExchange? {
    guard number >= oldest, number <= newest else { return nil }
    return ring[number % Self.limit]
  }

  /// The numbers of the kept exchanges.
  var numbers: ClosedRange<Int>? { newest == 0 ? nil : oldest...newest }

  /// The kept exchanges, newest first, without copying them.
  var newestFirst: some Sequence<LoggedExchange> {
    (numbers.map { Array($0.reversed()) } ?? []).lazy.compactMap { self[$0] }
  }

  private func forgetOldest() {
    let place = oldest % Self.limit
    bytes -= ring[place]?.keptBytes ?? 0
    ring[place] = nil
    oldest += 1
  }

  private static func cut(_ request: HTTPRequest) -> HTTPRequest {
    guard request.body.count > bodyLimit else { return request }
    var request = request
    request.body = Array(request.body.prefix(bodyLimit))
    return request
  }

  private static func cut(_ response: ServerResponse) -> ServerResponse {
    guard response.body.count > bodyLimit else { return response }
    var response = response
    response.body = Array(response.body.prefix(bodyLimit))
    return response
  }
}

extension LoggedExchange {
  fileprivate var keptBytes: Int { request.body.count + response.body.count }
}
