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
    ring[place] = LoggedExchange(
      number: newest,
      request: request.body.count > Self.bodyLimit ? Self.cut(request) : request,
      response: response.body.count > Self.bodyLimit ? Self.cut(response) : response,
      caller: caller, time: clock.milliseconds, nanoseconds: nanoseconds,
      requestSize: request.body.count, responseSize: response.body.count)
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
