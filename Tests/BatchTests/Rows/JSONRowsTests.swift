@testable import System
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct JSONRowsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func rows(_ text: String, _ name: String) throws -> [String] {
    try read(RowInput(path: try scratch.write(name, text)))
  }

  @Test func `each line is a row, and bad ones are told with their line`() throws {
    let bytes =
      Array("\u{FEFF}{\"a\":1}\r\n\n  \n{\"a\":\n[1]\n".utf8) + Array("{\"a\":\"".utf8) + [0xE9]
      + Array("\"}\n{\"b\":null}".utf8)
    let path = try scratch.write("rows.ndjson", bytes)
    #expect(
      try read(RowInput(path: path)) == [
        #"1: {"a":1}"#,
        "4! the document ends too early (column 6); each line must be a whole JSON object",
        "5! it is no JSON object",
        "6! a string that is not UTF-8 (column 7); each line must be a whole JSON object",
        #"7: {"b":null}"#,
      ])
  }

  @Test func `a row that has a member twice is refused, as nobody knows which was meant`() throws {
    #expect(
      try rows("{\"a\":1,\"a\":2}\n{\"a\":{\"b\":1,\"b\":1}}\n{\"a\":1}\n", "rows.ndjson") == [
        "1! a key that is in its object already (column 8); each line must be a whole JSON object",
        "2! a key that is in its object already (column 13); each line must be a whole JSON object",
        #"3: {"a":1}"#,
      ])
    #expect(
      try rows("[{\"a\":1,\"a\":2},{\"a\":1}]", "rows.json") == [
        "1! a key that is in its object already", #"1: {"a":1}"#,
      ])
  }

  @Test func `an integer that would lose digits is refused, and a double is not`() throws {
    #expect(
      try rows(
        """
        {"a":9223372036854775807}
        {"a":9223372036854775808}
        {"a":[-9223372036854775808,-9223372036854775809]}
        {"a":"12345678901234567890","b":1e30,"c":0.1,"d":-0}
        """, "rows.ndjson") == [
          #"1: {"a":9223372036854775807}"#,
          "2! an integer of more than 64 bits, which would lose digits: write it as a string (column 6); each line must be a whole JSON object",
          "3! an integer of more than 64 bits, which would lose digits: write it as a string (column 28); each line must be a whole JSON object",
          #"4: {"a":"12345678901234567890","b":1e+30,"c":0.1,"d":-0.0}"#,
        ])
  }

  @Test func `a line that is too long is left out`() throws {
    let long = String(repeating: "x", count: 1 << 20)
    let path = try scratch.write("rows.ndjson", "{}\n{\"a\":\"\(long)\"}\n{}\n{\"b\":\"\(long)\"}")
    let reader = NDJSONRows(
      try ByteWindow(InputSource(path: path), inflating: true), limit: 300_000)
    var lines: [Int64] = []
    while let row = try reader.next() {
      if (try? row.fields.get()) == nil { lines.append(row.line) }
    }
    #expect(lines == [2, 4])
  }

  @Test func `a row that is nested too deep is refused`() throws {
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(try rows("{\"a\":\(deep)}\n{}\n", "rows.ndjson")[0].contains("nested"))
  }

  static let arrays: [(String, [String])] = [
    ("[]", []), (" [ \n ] \n", []),
    ("[{}]", ["1: {}"]),
    (
      "[\n  {\"a\": \"}],{\\\"\"},\n  {\n    \"b\": [1, {\"c\": []}]\n  }\n]\n",
      [#"2: {"a":"}],{\""}"#, #"3: {"b":[1,{"c":[]}]}"#]
    ),
    (
      "[1, \"x\", null, [], {\"a\":1}]",
      [
        "1! it is no JSON object", "1! it is no JSON object", "1! it is no JSON object",
        "1! it is no JSON object", #"1: {"a":1}"#,
      ]
    ),
    (
      "[{\"a\" 1},\n{\"a\":\n x},{\"b\":2}]",
      [
        "1! expected a colon after the key", "2! expected a value (line 3, column 2)",
        #"3: {"b":2}"#,
      ]
    ),
    ("[{\"a\":1]},{}]", ["1! expected a comma or a closing brace"]),
  ]

  @Test(arguments: arrays) func `an array is read element by element`(
    text: String, expected: [String]
  ) throws {
    guard !text.hasPrefix("[{\"a\":1]") else {
      // The bracket ends the row, and what follows cannot follow.
      let problem = try #require(throws: BatchProblem.self) { try rows(text, "rows.json") }
      #expect(problem.message.contains("a comma or the closing bracket is missing behind row 1"))
      return
    }
    #expect(try rows(text, "rows.json") == expected)
  }

  static let broken: [(String, String)] = [
    ("[{}", "FILE ends in the middle of its JSON array, behind row 1"),
    ("[{},", "FILE ends in the middle of its JSON array, behind row 1"),
    ("[{},{\"a\":[", "FILE ends in the middle of its JSON array, behind row 1"),
    ("[", "FILE ends in the middle of its JSON array, behind row 0"),
    ("[{},]", "FILE is no JSON array: there is a comma before the closing bracket, in line 1"),
    ("[,{}]", "FILE is no JSON array: a row is missing between two commas, in line 1"),
    ("[{},\n,{}]", "FILE is no JSON array: a row is missing between two commas, in line 2"),
    (
      "[{}\n{}]",
      "FILE is no JSON array: a comma or the closing bracket is missing behind row 1, in line 2"
    ),
    ("[{}]\n{}", "FILE is no JSON array: there is more behind the array, in line 2"),
    ("[\n{\"a\":\"x\n\"}]", "FILE is no JSON array: a string is not closed, in line 2"),
  ]

  @Test(arguments: broken) func `an array that is none ends the reading`(
    text: String, message: String
  ) throws {
    let problem = try #require(throws: BatchProblem.self) { try rows(text, "rows.json") }
    #expect(problem.message == message.replacing("FILE", with: scratch.path("rows.json")))
    #expect(problem.code == .usage)
  }

  @Test func `an object that should have been an array says how to get at the list`() throws {
    let path = try scratch.write("export.json", "{\"users\":[\n{}]}")
    let problem = try #require(throws: BatchProblem.self) {
      try read(RowInput(path: path, format: .json))
    }
    #expect(problem.hint.contains("jq -c '.users[]'"))
  }

  @Test func `an element that is never closed does not take all memory`() throws {
    let path = try scratch.write("rows.json", "[{\"a\":[" + String(repeating: "1,", count: 1 << 20))
    let reader = try JSONArrayRows(
      ByteWindow(InputSource(path: path), inflating: true), limit: 1 << 20)
    let problem = try #require(throws: BatchProblem.self) { try reader.next() }
    #expect(problem.message.contains("row 1 is longer than 1 MiB"))
  }

  @Test func `elements are whole wherever a block ends`() throws {
    let element = #"{"a":"\\\"}","b":[{}]}"#
    for shift in 0..<element.utf8.count {
      let count = ByteWindow.blockSize / element.utf8.count + 20
      let path = try scratch.write(
        "rows.json",
        String(repeating: " ", count: shift) + "["
          + Array(repeating: element, count: count).joined(separator: ",") + "]")
      let reader = try RowInput(path: path).open()
      var good = 0
      while let row = try reader.next() {
        if row.fields == .success(["a": "\\\"}", "b": [[:]]]) { good += 1 }
      }
      #expect(good == count, "at shift \(shift)")
    }
  }
}
