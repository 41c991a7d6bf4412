@testable import System
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct CSVRowsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func rows(_ text: String, delimiter: UInt8? = nil) throws -> [String] {
    let path = try scratch.write("rows.csv", text)
    return try read(RowInput(path: path, delimiter: delimiter))
  }

  static let good: [(String, [String])] = [
    ("a,b\n1,2\n3,4\n", [#"2: {"a":"1","b":"2"}"#, #"3: {"a":"3","b":"4"}"#]),
    ("a,b\r\n1,2\r\n3,4", [#"2: {"a":"1","b":"2"}"#, #"3: {"a":"3","b":"4"}"#]),
    ("a,b\r1,2\r3,4\r", [#"2: {"a":"1","b":"2"}"#, #"3: {"a":"3","b":"4"}"#]),
    ("\u{FEFF}a,b\n1,2", [#"2: {"a":"1","b":"2"}"#]),
    ("a,b\n,\n\"\",\"\"\n", [#"2: {"a":"","b":""}"#, #"3: {"a":"","b":""}"#]),
    ("a,b\n\n1,2\n\r\n\n3,4\n\n", [#"3: {"a":"1","b":"2"}"#, #"6: {"a":"3","b":"4"}"#]),
    ("\n\na,b\n1,2\n", [#"4: {"a":"1","b":"2"}"#]),
    ("a\n\"\"\n\nx\n", [#"2: {"a":""}"#, #"4: {"a":"x"}"#]),
    (
      "a,b\n\"1,\"\"2\"\"\r\n3\",4\n5,6\n",
      [#"2: {"a":"1,\"2\"\r\n3","b":"4"}"#, #"4: {"a":"5","b":"6"}"#]
    ),
    ("a,b\n\"x\ny\rz\",2\n5,6\n", [#"2: {"a":"x\ny\rz","b":"2"}"#, #"5: {"a":"5","b":"6"}"#]),
    // As Python has it: a quote within a field is a character.
    ("a,b\n5'11\",x\"y\n", [#"2: {"a":"5'11\"","b":"x\"y"}"#]),
    ("\"a\",\"b,c\"\n1,2\n", [#"2: {"a":"1","b,c":"2"}"#]),
    ("a;b\n1,5;2\n", [#"2: {"a":"1,5","b":"2"}"#]),
    ("a\tb\n1\t2\n", [#"2: {"a":"1","b":"2"}"#]),
    ("a|b\n1;5|2,3\n", [#"2: {"a":"1;5","b":"2,3"}"#]),
    ("\"a;b\",c\n1,2\n", [#"2: {"a;b":"1","c":"2"}"#]),
    // Two kinds in the header: a comma.
    ("a;x,b\n1,2\n", [#"2: {"a;x":"1","b":"2"}"#]),
    ("a\n1;2\n", [#"2: {"a":"1;2"}"#]),
    ("a,b\n\u{e4},\u{1F600}\n", [#"2: {"a":"ä","b":"😀"}"#]),
    ("a,b", []), ("a,b\n", []),
    ("a,b\n =1+1,@x\n", [#"2: {"a":" =1+1","b":"@x"}"#]),
  ]

  @Test(arguments: good) func `a table is read as it is meant`(
    text: String, expected: [String]
  ) throws {
    #expect(try rows(text) == expected)
  }

  @Test func `a delimiter that is given counts, whatever the header has`() throws {
    #expect(
      try rows("a|b,c\n1|2,3\n", delimiter: UInt8(ascii: "|")) == [#"2: {"a":"1","b,c":"2,3"}"#])
    let problem = try #require(throws: BatchProblem.self) {
      try rows("a,b\n", delimiter: UInt8(ascii: "x"))
    }
    #expect(problem.code == .usage)
  }

  static let tail = "\nlast,row\n"

  static let faults: [([UInt8], String)] = [
    (Array("1".utf8), "2! 2 fields expected, and there are 1"),
    (
      Array("1,2,3".utf8),
      "2! 2 fields expected, and there are 3; a value with a delimiter in it must be in quotes"
    ),
    (
      Array("\"1\"x,2".utf8),
      "2! there is text behind a closing quote; a quote within quotes is written twice"
    ),
    (Array("a\u{0},2".utf8), "2! it has a zero byte, which no text has"),
    (
      Array("1,".utf8) + [0xE9],
      "2! its b is not UTF-8; convert the file, with 'iconv -f WINDOWS-1252 -t UTF-8' if it comes "
        + "from Windows"
    ),
  ]

  @Test(arguments: faults) func `a bad row is told with its line, and the rest goes on`(
    row: [UInt8], expected: String
  ) throws {
    let path = try scratch.write(
      "rows.csv", Array("a,b\n".utf8) + row + Array(Self.tail.utf8))
    #expect(try read(RowInput(path: path)) == [expected, #"3: {"a":"last","b":"row"}"#])
  }

  @Test func `a row over several lines that is bad is told with all of them`() throws {
    #expect(
      try rows("a,b\n1,\"x\ny\"\"\n2,\"z\n4,5\n") == [
        "2! there is text behind a closing quote in line 4; a quote within quotes is written twice "
          + "(lines 2 to 4 are one row, held together by quotes)",
        #"5: {"a":"4","b":"5"}"#,
      ])
  }

  @Test func `a quote that is never closed is told by the line where it opens`() throws {
    let problem = try #require(throws: BatchProblem.self) {
      try rows("a,b\n1,2\n3,\"4\n5,6\n" + String(repeating: "x,y\n", count: 50_000))
    }
    #expect(problem.code == .usage)
    #expect(
      problem.message
        == "the quote that opens a field in line 3 of \(scratch.path("rows.csv")) is never closed")
    #expect(problem.hint.contains("double it"))
  }

  private func limited(_ text: String, limit: Int) throws -> CSVRows {
    let path = try scratch.write("rows.csv", text)
    return try CSVRows(
      ByteWindow(InputSource(path: path), inflating: true), delimiter: nil, limit: limit)
  }

  @Test func `a row that is too long is left out, and memory does not grow with it`() throws {
    let limit = 1 << 20
    let long = String(repeating: "xy,z", count: limit)
    let reader = try limited("a,b\n1,2\n\(long)\n3,4\n", limit: limit)
    #expect(try reader.next()?.fields == .success(["a": "1", "b": "2"]))
    let row = try #require(try reader.next())
    #expect(row.line == 3)
    #expect(throws: RowLimits.tooLong) { try row.fields.get() }
    #expect(try reader.next()?.fields == .success(["a": "3", "b": "4"]))
    #expect(try reader.next() == nil)

    let open = try limited("a,b\n1,\"\(long)\n3,4\n", limit: limit)
    let problem = try #require(throws: BatchProblem.self) { try open.next() }
    let words = "is not closed within 1 MiB, which is the most that a row may have"
    #expect(problem.message.hasSuffix(words))
    // One that is closed behind the limit is not told to be open.
    let closed = try limited("a,b\n1,\"\(long)\"\n3,4\n", limit: limit)
    #expect(try #require(throws: BatchProblem.self) { try closed.next() }.message.hasSuffix(words))
  }

  static let headers: [(String, String)] = [
    ("a,a\n1,2\n", "line 1 of FILE cannot name the columns: the name 'a' occurs twice"),
    ("a,,c\n", "line 1 of FILE cannot name the columns: column 2 has no name"),
    ("a,b \n,", "line 1 of FILE cannot name the columns: "),
    (
      "ada,ada@example.com\n",
      "line 1 of FILE cannot name the columns: 'ada@example.com' is a value, and no name of a column"
    ),
    (
      "ada,17\n", "line 1 of FILE cannot name the columns: '17' is a value, and no name of a column"
    ),
    (
      "\na,\"b\"x\n",
      "line 2 of FILE cannot name the columns: there is text behind a closing quote; a quote within "
        + "quotes is written twice"
    ),
    ("a,\u{0}\n", "line 1 of FILE cannot name the columns: it has a zero byte, which no text has"),
    ("\"a\n", "the quote that opens a field in line 1 of FILE is never closed"),
    ("\n\n", "FILE is empty"),
  ]

  @Test(arguments: headers) func `a header that names no columns is refused`(
    text: String, message: String
  ) throws {
    guard !message.hasSuffix(": ") else {
      // A space behind a name is part of it, as Python has it.
      #expect(try rows(text) == [#"2: {"a":"","b ":""}"#])
      return
    }
    let problem = try #require(throws: BatchProblem.self) { try rows(text) }
    #expect(problem.message == message.replacing("FILE", with: scratch.path("rows.csv")))
    #expect(problem.code == .usage)
  }

  @Test func `rows are whole wherever a block ends`() throws {
    // Every shift moves the ends of blocks over another byte of a row.
    let row = "\"x\"\"y\r\nz\",\u{e4}b\r\n"
    for shift in 0..<row.utf8.count {
      let first = String(repeating: "s", count: shift) + ",1\r\n"
      let count = ByteWindow.blockSize / row.utf8.count + 20
      let path = try scratch.write(
        "rows.csv", "a,b\r\n" + first + String(repeating: row, count: count))
      let reader = try RowInput(path: path).open()
      _ = try reader.next()
      var good = 0
      while let row = try reader.next() {
        if row.fields == .success(["a": "x\"y\r\nz", "b": "\u{e4}b"]),
          row.line == 3 + 2 * Int64(good)
        {
          good += 1
        }
      }
      #expect(good == count, "at shift \(shift)")
    }
  }
}
