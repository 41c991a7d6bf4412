@testable import System
import Testing

/// Strings are read and written eight bytes at a time, so each case stands at every place of a word.
@Suite("Runs of JSON strings", .timeLimit(.minutes(1)))
struct JSONRunTests {
  private static let special: [(text: String, written: String)] = [
    ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\u{1F}", #"\u001f"#), ("\0", #"\u0000"#),
    (" ", " "), ("!", "!"), ("#", "#"), ("[", "["), ("]", "]"), ("\u{7F}", "\u{7F}"), ("é", "é"),
    ("\u{80}", "\u{80}"), ("😀", "😀"),
  ]

  @Test(arguments: special) func `a byte is treated alike at every place`(
    text: String, written: String
  ) throws {
    for before in 0..<20 {
      for after in 0..<20 {
        let left = String(repeating: "x", count: before)
        let right = String(repeating: "y", count: after)
        let document = "\"\(left)\(written)\(right)\""
        #expect(JSON.string(left + text + right).encoded() == document)
        #expect(try JSON.parse(document) == .string(left + text + right))
        #expect(try JSON.parse(Array(document.utf8)) == .string(left + text + right))
      }
    }
  }

  @Test func `a raw control character is refused at every place`() {
    for before in 0..<20 {
      for byte in UInt8(0)..<0x20 {
        let document =
          [0x22] + [UInt8](repeating: 0x78, count: before) + [byte]
          + [UInt8](repeating: 0x79, count: 9) + [0x22]
        let error = #expect(throws: JSONError.self) { try JSON.parse(document) }
        #expect(error?.offset == before + 1)
      }
    }
  }

  @Test func `a byte that is not UTF-8 is refused at every place`() {
    for before in 0..<20 {
      for byte in [UInt8(0x80), 0xC0, 0xE2, 0xFF] {
        let document =
          [0x22] + [UInt8](repeating: 0x78, count: before) + [byte]
          + [UInt8](repeating: 0x79, count: 9) + [0x22]
        #expect(throws: JSONError.self) { try JSON.parse(document) }
      }
    }
  }

  @Test func `random strings survive a round trip`() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let scalars = (0..<Int.random(in: 0..<60, using: &random)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0..<0x300, using: &random))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let value = JSON.object(
        JSONObject([(text, .string(text)), ("other", .array([.string(text)]))]))
      #expect(try JSON.parse(value.encodedBytes()) == value)
      #expect(try JSON.parse(value.encoded(pretty: true)) == value)
    }
  }

  @Test func `of two equal keys the last wins, however they are spelled and whatever their number`()
    throws
  {
    #expect(try JSON.parse(#"{"ab":1,"b":2,"\u0061b":3}"#) == ["ab": 3, "b": 2])
    // Enough keys that many look alike, beyond the size at which an object is indexed.
    for count in [3, 16, 17, 200] {
      let once = (0..<count).map { "\"key\($0)\":\($0)" }
      let twice = (0..<count).map { "\"key\($0)\":\($0 + 1000)" }
      let object = try JSON.parse("{\((once + twice).joined(separator: ","))}").object
      #expect(object?.count == count)
      for number in 0..<count { #expect(object?["key\(number)"] == .integer(Int64(number + 1000))) }
    }
    #expect(try JSON.parse(#"{"":1,"":2}"#) == ["": 2])
  }

  @Test func `integers of every length are written as they are`() {
    var value: Int64 = 1
    while true {
      for one in [value - 1, value, value + 1] {
        #expect(JSON.integer(one).encoded() == "\(one)")
        #expect(JSON.integer(-one).encoded() == "\(-one)")
      }
      let (next, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      if isTooLarge { break }
      value = next
    }
  }

  @Test func `a document is its own base 64 for tokens`() {
    for count in 0..<50 {
      let value: JSON = ["sub": .string(String(repeating: "ü", count: count))]
      #expect(value.encodedBase64URL() == Base64URL.encode(value.encodedBytes()))
    }
  }
}
