internal import System
internal import HTTP

extension Emulator {
  /// Calls `write` with a line for each request from now on, without secrets.
  ///
  /// It is called on the emulator's loop.
  public func logExchanges(to write: @escaping @Sendable (String) -> Void) {
    let configuration = context.configuration
    context.events.onExchange = { exchange in
      let time = Timestamp.text(milliseconds: exchange.time)
      write("\(time) \(VisibleExchange(exchange, in: configuration).line)\n")
    }
  }

  /// The number of requests so far, without those of the dashboard and of readiness checks.
  public var exchangeCount: Int { context.events.newest }

  /// A line for each of the latest requests, oldest first and without secrets.
  ///
  /// - Parameters:
  ///   - number: Only requests after this many.
  ///   - limit: The number of lines.
  public func exchanges(after number: Int, limit: Int) -> [String] {
    let configuration = context.configuration
    let latest = context.events.newestFirst.prefix { $0.number > number }.prefix(limit)
    return latest.reversed().map { VisibleExchange($0, in: configuration).line }
  }
}

extension VisibleExchange {
  /// The exchange in one line.
  fileprivate var line: String {
    let time = "\(nanoseconds / 1_000_000) ms"
    return Backend.printable("\(method) \(path) \(status) \(time): \(summary)")
  }
}
