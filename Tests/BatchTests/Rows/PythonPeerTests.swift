@testable import System
import Glibc
import Testing

@testable import Batch

/// What Python's csv and json make of the same files.
@Suite(.timeLimit(.minutes(5)), .enabled(if: access("/usr/bin/python3", X_OK) == 0))
struct PythonPeerTests {
  private static let count = 300
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func expected(_ name: String) throws -> JSON {
    try JSON.parse(scratch.read(scratch.path(name)))
  }

  @Test(arguments: [1, 2]) func `tables are read as Python does it`(seed: Int) throws {
    let script = try scratch.write("script.py", pythonScript)
    let command = "/usr/bin/python3 \(script) '\(scratch.folder)' \(seed) \(Self.count)"
    try #require(system(command) == 0)
    for number in 0..<Self.count {
      try compareTable(number)
      for name in ["o\(number).ndjson", "o\(number).json"] {
        let reader = try RowInput(path: scratch.path(name)).open()
        var rows: [JSON] = []
        while let row = try reader.next() { rows.append(.object(try row.fields.get())) }
        #expect(.array(rows) == (try expected("o\(number).expected")), "\(name), seed \(seed)")
      }
    }
  }

  private func compareTable(_ number: Int) throws {
    let expected = try expected("t\(number).expected")
    let columns = (expected["columns"]?.array ?? []).compactMap(\.string)
    let reader = try RowInput(
      path: scratch.path("t\(number).csv"),
      delimiter: columns.count > 1
        ? nil : expected["delimiter"]?.integer.flatMap { UInt8(exactly: $0) }
    ).open()
    #expect(reader.columns == columns)
    for row in expected["rows"]?.array ?? [] {
      let values = (row["values"]?.array ?? []).compactMap(\.string)
      let read = try #require(try reader.next(), "a row is missing in t\(number).csv")
      #expect(read.line == row["line"]?.integer, "t\(number).csv")
      if values.count == columns.count {
        let fields = try read.fields.get()
        #expect(columns.map { fields[$0]?.string } == values, "t\(number).csv")
      } else {
        #expect(throws: RowFailure.self, "t\(number).csv") { try read.fields.get() }
      }
    }
    guard expected["isWhole"] != true else {
      #expect(try reader.next() == nil, "t\(number).csv")
      return
    }
    // Where Python gives up, the row is bad, or the quote is never closed.
    do {
      let row = try #require(try reader.next(), "t\(number).csv ends too early")
      #expect(throws: RowFailure.self, "t\(number).csv") { try row.fields.get() }
    } catch is BatchProblem {}
  }
}
