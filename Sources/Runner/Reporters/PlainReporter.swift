/// One line for each journey, and the failures below it.
public final class PlainReporter: EventSink {
  public let wantsExchanges = false
  private let write: (String) -> Void
  private var names: [String: [String]] = [:]

  /// Writes its lines with `write`.
  public init(_ write: @escaping (String) -> Void) { self.write = write }

  public func take(_ event: RunEvent) {
    switch event.kind {
    case .journeyStart(let start): names[event.place?.journey ?? ""] = start.name
    case .journeyEnd(let end):
      let name = names[event.place?.journey ?? "", default: []].joined(separator: " > ")
      write("\(end.status.rawValue) \(name) (\(end.duration) ms)\n")
      show(end.failures)
    case .log(let line) where line.level == .print: write(line.text + "\n")
    case .fileEnd(let end): show(end.failures)
    case .runEnd(let end):
      let counts = JourneyOutcome.allCases.compactMap { outcome in
        end.counts[outcome].map { "\($0) \(outcome.rawValue)" }
      }
      write(counts.joined(separator: ", ") + "\n")
    default: break
    }
  }

  private func show(_ failures: [Failure]) {
    for failure in failures {
      let place = failure.file.map { "\($0):\(failure.line ?? 0): " } ?? ""
      write("  \(place)\(failure.message)\n")
    }
  }

  public func end() {}
}
