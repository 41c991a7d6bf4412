@testable import System
import Foundation
import Testing

@testable import Journeys

@Suite struct EventFileTests {
  private static var lines: [String] {
    SampleRun.events.map { $0.json.encoded() }
  }

  private static func file(_ lines: [String], isWhole: Bool = true) throws -> EventFile {
    try EventFile(
      name: "events.ndjson",
      content: Array((lines.joined(separator: "\n") + (isWhole ? "\n" : "")).utf8))
  }

  @Test func `every event comes back as it was`() throws {
    let file = try Self.file(Self.lines)
    #expect(file.events.map { $0.json.encoded() } == Self.lines)
    #expect(file.end?.exit == 130)
    #expect(file.start.seed == 42)
    #expect(!file.isCut)
    let names = Set(file.events.map(\.name))
    #expect(names.count == 16, "\(names)")
  }

  @Test func `an event begins with its name and its time in milliseconds`() {
    #expect(Self.lines[0].hasPrefix(#"{"event":"run.start","at":0.0,"version":1,"#))
    let place = EventSource(journey: "a", attempt: 1, step: 3)
    let event = RunEvent(at: 1.23456, place: place, .log(.init(level: .info, text: "é")))
    #expect(
      event.json.encoded()
        == #"{"event":"log","at":1.235,"journey":"a","attempt":1,"step":3,"level":"info","text":"é"}"#
    )
  }

  @Test func `shown secrets and snapshots come back as they were, and are added up`() throws {
    var start = SampleRun.start
    start.showsSecrets = true
    var end = RunEnd(duration: 1, counts: [:], exit: 0)
    end.snapshots = SnapshotSummary(written: 2, updated: 1, removed: 0, obsolete: ["a: b: c"])
    func file(_ start: RunStart, _ end: RunEnd) throws -> EventFile {
      try Self.file(
        [RunEvent(at: 0, .runStart(start)), RunEvent(at: 1, .runEnd(end))].map { $0.json.encoded() }
      )
    }
    let whole = try file(start, end)
    #expect(whole.start.showsSecrets && whole.end?.snapshots == end.snapshots)
    let plain = try file(SampleRun.start, RunEnd(duration: 1, counts: [:], exit: 0))
    #expect(!plain.start.showsSecrets && plain.end?.snapshots == nil)
    let events = try EventMerge([plain, whole, whole], needsAllShards: false).events
    guard case .runStart(let merged)? = events.first?.kind,
      case .runEnd(let last)? = events.last?.kind
    else {
      Issue.record("\(events)")
      return
    }
    #expect(merged.showsSecrets)
    #expect(last.snapshots?.written == 4 && last.snapshots?.obsolete.count == 2)
    #expect(
      last.snapshots?.lines == [
        "snapshots: 4 written, 2 updated",
        "2 snapshots are obsolete; luath test --update-snapshots removes what no journey uses:",
        "  a: b: c", "  a: b: c",
      ])
  }

  @Test func `events of later kinds are passed over`() throws {
    var lines = Self.lines
    lines.insert(#"{"event":"moon.rise","at":1}"#, at: 3)
    #expect(try Self.file(lines).events.count == Self.lines.count)
  }

  @Test func `a last line that a kill cut off is left out`() throws {
    let cut = Array(Self.lines.dropLast(2)) + [String(Self.lines[8].dropLast(7))]
    let file = try Self.file(cut, isWhole: false)
    #expect(file.isCut)
    #expect(file.end == nil)
    #expect(file.events.count == Self.lines.count - 2)
  }

  @Test(arguments: [
    ("", nil as Int?, "it holds no events"),
    ("\n\n", nil, "it holds no events"),
    ("hello\n", 1, "it is no JSON: "),
    ("{}\n", 1, "'event' is missing"),
    ("[1]\n", 1, "it is no object"),
    (#"{"event":"log","at":1,"level":"info","text":"x"}"#, 1, "it does not begin with run.start"),
    (
      #"{"event":"run.start","at":0,"version":2}"#, 1,
      "the events are of version 2, and this luath reads 1"
    ),
  ])
  func `what is no event file is refused by its line`(_ text: String, _ line: Int?, _ words: String)
  {
    let error = #expect(throws: EventFileError.self) {
      try EventFile(name: "x", content: Array(text.utf8))
    }
    #expect(error?.line == line)
    #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    (
      #""outcome":"passed""#, #""outcome":"grand""#,
      "'outcome' is 'grand', which is none of its values"
    ),
    (#""attempts":1"#, #""attempts":"1""#, "'attempts' is not a whole number"),
    (#""attempts":1"#, #""attempts":1.5"#, "'attempts' is not a whole number"),
    (#""journey":"#, #""Journey":"#, "'journey' is missing"),
  ])
  func `a wrong member is named`(_ good: String, _ bad: String, _ words: String) throws {
    let index = try #require(Self.lines.firstIndex { $0.contains("journey.result") })
    var lines = Self.lines
    lines[index] = lines[index].replacing(good, with: bad)
    #expect(lines[index] != Self.lines[index])
    let error = #expect(throws: EventFileError.self) { try Self.file(lines) }
    #expect(error?.line == index + 1)
    #expect(error?.message == words)
  }

  @Test func `no cut of a file crashes or hangs the reader`() {
    let content = Array(Self.lines.joined(separator: "\n").utf8)
    for length in stride(from: 0, to: content.count, by: 7) {
      _ = try? EventFile(name: "x", content: Array(content[..<length]))
    }
  }
}
