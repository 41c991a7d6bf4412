import Encoding

/// An event file: one event as JSON in every line, as `--report json` writes them.
public struct EventFile: Sendable {
  /// What it is called in messages.
  public let name: String
  /// Its events in order; the first is the beginning of the run.
  public let events: [RunEvent]
  /// What the first event says.
  public let start: RunStart
  /// What the last event says; nil when the run did not get so far, as when it was killed.
  public let end: RunEnd?
  /// Whether the last line is cut off in the middle, which is left out.
  public let isCut: Bool

  /// Reads the content of a file.
  ///
  /// Events of kinds that a later luath has added are passed over. A last line without its end is
  /// what a killed run leaves behind; what stands before it counts.
  ///
  /// - Throws: The first line that is no event, by its number.
  public init(name: String, content: [UInt8]) throws(EventFileError) {
    var events: [RunEvent] = []
    var isCut = false
    let newline = UInt8(ascii: "\n")
    let lines = content.split(separator: newline, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.allSatisfy(\.isBlank) {
      do throws(EventProblem) {
        if let event = try Self.event(line) { events.append(event) }
      } catch {
        // The last piece is empty when the last line has its end.
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

/// Why a file is no event file.
public struct EventFileError: Error, Sendable, Equatable {
  /// The file's name.
  public let file: String
  /// The line from 1; nil when it is about the whole file.
  public let line: Int?
  /// What is wrong with it.
  public let message: String
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x0D || self == 0x09 }
}
