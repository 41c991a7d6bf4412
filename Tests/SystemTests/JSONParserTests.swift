@testable import System
import Testing

@Suite("Reading JSON", .timeLimit(.minutes(1)))
struct JSONParserTests {
  static let documents: [(String, JSON)] = [
    ("null", JSON.null), (" true\n", true), ("false", false), ("0", 0), ("-1", -1),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.5", 1.5), ("1e2", 100.0),
    ("-0", .number(-0.0)), ("-0.0", .number(-0.0)), ("2E-3", 0.002), ("\"\"", ""),
    ("[]", []), ("{}", [:]), ("[1,[2,{}],\"x\"]", [1, [2, [:]], "x"]),
    ("\t{ \"a\" : 1 , \"b\":[ ] }\r\n", ["a": 1, "b": []]),
  ]

  @Test(arguments: [
    ("{\"a\":1,\"b\":2,\"a\":3}", 14), ("[{\"a\":{\"b\":1,\n\"\\u0062\":2}}]", 1),
  ])
  func `a key twice in an object is refused where that is wanted`(text: String, column: Int) throws
  {
    #expect(throws: Never.self) { try JSON.parse(text) }
    let error = try #require(throws: JSONError.self) {
      try JSON.parse(Array(text.utf8), refusesDuplicates: true)
    }
    #expect(error.message == JSONError.duplicateKey && error.column == column)
    #expect(throws: Never.self) {
      try JSON.parse(Array(#"[{"a":1,"A":2},{"a":3}]"#.utf8), refusesDuplicates: true)
    }
  }

  @Test(arguments: documents)
  func `a valid document is read`(text: String, expected: JSON) throws {
    #expect(try JSON.parse(text) == expected)
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
    (#""\ud83d\ude00!""#, "😀!"), (#""\u0000""#, "\0"), ("\"é😀\u{7F}\"", "é😀\u{7F}"),
    (#""x😀\n""#, "x😀\n"),
  ])
  func `escapes and UTF-8 are read`(text: String, expected: String) throws {
    #expect(try JSON.parse(text) == .string(expected))
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "truE", "+1", "01", "-", "-01", "1.", ".5", "1e", "1e+", "1.e1", "0x1",
    "1e400", "-1e400", "NaN", "Infinity", "'a'", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"",
    "\"\\u12G4\"",
    "\"\\ud800\"", "\"\\ud800x\"", "\"\\udc00\"", "\"\\udc00\\udc00\"", "\"\\ud800\\u0041\"",
    "\"\\ud800\\ud800\"",
    "\"a\nb\"", "\"\u{0}\"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "]", "{", "{1:2}",
    "{\"a\"}",
    "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{a:1}", "1 2", "[]]", "{}x", "// c\n1",
    "\u{FEFF}1",
    "\u{A0}1",
  ])
  func `an invalid document is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSON.parse(text) }
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xFF],
      [0xC3, 0x5C, 0x6E], [0x5C, 0x6E, 0xC3],
    ] as [[UInt8]])
  func `a string that is not UTF-8 is refused`(content: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSON.parse([0x22] + content + [0x22]) }
    #expect(error?.message == "a string that is not UTF-8")
  }

  @Test func `nesting is limited`() throws {
    let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(try JSON.parse(deep).array?.count == 1)
    #expect(throws: JSONError.self) { try JSON.parse("[" + deep + "]") }
    #expect(throws: JSONError.self) { try JSON.parse("[{\"a\":[]}]", maximumDepth: 2) }
    #expect(throws: JSONError.self) { try JSON.parse(String(repeating: "[", count: 1_000_000)) }
    #expect(try JSON.parse("[[],[],{},{}]", maximumDepth: 2).array?.count == 4)
  }

  @Test func `an error names its place and quotes nothing`() {
    let error = #expect(throws: JSONError.self) { try JSON.parse("{\n  \"a\": hunter2\n}") }
    #expect(error == JSONError(message: "expected a value", offset: 9, line: 2, column: 8))
    #expect(error?.description == "expected a value (line 2, column 8)")
  }

  @Test func `the last of two equal keys wins`() throws {
    let json = try JSON.parse(#"{"a":1,"b":2,"a":3}"#)
    #expect(json == ["a": 3, "b": 2])
    #expect(json.object?.keys == ["a", "b"])
  }

  @Test func `keys are compared by bytes`() throws {
    let json = try JSON.parse("{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(json.object?.count == 2)
    #expect(json["\u{E9}"] == 1)
    #expect(json["e\u{301}"] == 2)
  }

  @Test func `no byte string makes the reader trap`() throws {
    var random = SeededGenerator(seed: 20_260_101)
    let alphabet =
      Array("{}[]\",:\\u0123dDeE+-.truefalsn \n\u{E9}😀".utf8) + [0xFF, 0x00, 0xC3, 0xED]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...24, using: &random)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      guard let json = try? JSON.parse(bytes, maximumDepth: 8) else { continue }
      #expect(try JSON.parse(json.encodedBytes()) == json)
    }
  }

  @Test func `a valid document damaged anywhere never traps`() throws {
    let sample = Array(#"{"a":[1,-2.5e3,"é\u00e9\ud83d\ude00",null,true],"b":{"c":"\n"}}"#.utf8)
    for position in sample.indices {
      for byte: UInt8 in [0, 0x22, 0x5C, 0x7B, 0x5D, 0x80, 0xFF] {
        var damaged = sample
        damaged[position] = byte
        if let json = try? JSON.parse(damaged) { #expect(try JSON.parse(json.encoded()) == json) }
        #expect(throws: JSONError.self) { try JSON.parse(Array(sample[..<position])) }
      }
    }
  }

  @Test(arguments: [
    ("\"\\ud800\"", JSON.string("\u{FFFD}")), ("\"\\udc00\"", "\u{FFFD}"),
    ("\"\\ud800x\"", "\u{FFFD}x"), ("\"\\ud800\\n\"", "\u{FFFD}\n"),
    ("\"\\ud800\\u0041\"", "\u{FFFD}A"), ("\"\\ud800\\ud83d\\ude00\"", "\u{FFFD}😀"),
    ("1e400", .number(.infinity)), ("-1e400", .number(-.infinity)), ("1e-400", .number(0)),
  ])
  func `the lenient form reads what JavaScript reads`(text: String, value: JSON) throws {
    #expect(try JSON.parse(Array(text.utf8), isLenient: true) == value)
  }

  @Test(arguments: ["\"\\ud800\\u00\"", "\"\\u\"", "01", "{\"a\":1,}", "\"\u{1}\"", "NaN"])
  func `the lenient form refuses bad grammar`(text: String) {
    #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8), isLenient: true) }
  }
}
