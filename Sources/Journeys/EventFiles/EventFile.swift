import System

/// An event file: one event as JSON per line, as `--report json` writes it.
struct EventFile: Sendable {
  /// The file's name in messages.
  let name: String
  /// The events in file order; the first is `run.start`.
  let events: [RunEvent]
  /// The payload of the first event.
  let start: RunStart
  /// The payload of the last event; nil when the run did not finish, for example because it was killed.
  let end: RunEnd?
  /// Whether the last line is incomplete.
  ///
  /// Such a line is left out of `events`.
  let isCut: Bool

  /// Reads the content of a file.
  ///
  /// Skips events of unknown kinds, which a later luath may have added. An incomplete last line, as
  /// a killed run leaves it, is dropped; the lines before it count.
  ///
  /// - Throws: `EventFileError` with the number of the first invalid line.
  init(name: String, content: [UInt8]) throws(EventFileError) {
    var events: [RunEvent] = []
    var isCut = false
    let newline = UInt8(ascii: "\n")
    let lines = content.split(separator: newline, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.allSatisfy(\.isBlank) {
      do throws(EventProblem) {
        if let event = try Self.event(line) { events.append(event) }
      } catch {
        // The last piece is empty when the last line ends with a newline.
        guard index == lines.count - 1, !events.isEmpty else {
          throw EventFileError(file: name, line: index + 1, message: error.message)
        }
        isCut = true
      }
    }
    guard case .runStart(let start)? = events.first?.kind else {
      throw EventFileError(
        file: name, line: events.isEmpty ? nil : 1,
        message: events.isEmpty ? "it holds no events" : "it does not begin with run.start")
    }
    self.name = name
    self.events = events
    self.start = start
    self.isCut = isCut
    if case .runEnd(let end)? = events.last?.kind { self.end = end } else { end = nil }
  }

  private static func event(_ line: ArraySlice<UInt8>) throws(EventProblem) -> RunEvent? {
    let json: JSON
    do throws(JSONError) {
      json = try JSON.parse(Array(line))
    } catch {
      throw EventProblem(message: "it is no JSON: \(error.message)")
    }
    guard let object = json.object else { throw EventProblem(message: "it is no object") }
    return try RunEvent(EventFields(object))
  }
}

/// Why a file is not a valid event file.
struct EventFileError: Error, Sendable, Equatable {
  /// The file's name.
  let file: String
  /// The line, from 1; nil when the error concerns the whole file.
  let line: Int?
  /// What is wrong with the file.
  let message: String
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x0D || self == 0x09 }
}

/// Writes each event as one line of JSON (NDJSON).
final class EventFileSink: EventSink {
  let wantsExchanges = true
  private let output: ReportOutput

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    output.write(event.json.encoded() + "\n")
    // If the process is killed, the file has all finished journeys and shows what was running.
    switch event.kind {
    case .runStart, .journeyStart, .stepStart, .journeyResult, .fileEnd: output.flush()
    default: break
    }
  }

  func end() throws(SinkError) { try output.close() }
}
