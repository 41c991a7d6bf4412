@testable import System
import Testing

@Suite("Writing JSON", .timeLimit(.minutes(1)))
struct JSONWriterTests {
  @Test(
    arguments: [
      (JSON.null, "null"), (true, "true"), (0, "0"), (.integer(.min), "-9223372036854775808"),
      (.integer(.max), "9223372036854775807"), (1.0, "1.0"), (-0.5, "-0.5"),
      (.number(-0.0), "-0.0"),
      (.number(.nan), "null"), (.number(.infinity), "null"), (.number(1e21), "1e+21"),
      ("a\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}é😀", #""a\"\\/\b\f\n\r\t\u0001\u001f\#u{7F}é😀""#),
      (["b": 1, "a": [[:], []]], #"{"b":1,"a":[{},[]]}"#),
    ] as [(JSON, String)])
  func `a value is written in one line`(value: JSON, expected: String) {
    #expect(value.encoded() == expected)
    #expect(value.encodedBytes() == Array(expected.utf8))
  }

  @Test func `a pretty document is indented by two spaces`() {
    let json: JSON = ["a": [1, ["b": nil]], "c": [], "d": [:]]
    #expect(
      json.encoded(pretty: true) == """
        {
          "a": [
            1,
            {
              "b": null
            }
          ],
          "c": [],
          "d": {}
        }
        """)
  }

  @Test func `sorted keys go by bytes at every level`() {
    let json: JSON = ["b": ["z": 1, "é": 2, "Z": 3], "a": 0]
    #expect(json.encoded(sortedKeys: true) == #"{"a":0,"b":{"Z":3,"z":1,"é":2}}"#)
  }

  @Test func `doubles survive a round trip`() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<5_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let read = try JSON.parse(JSON.number(value).encoded())
      #expect(read.number == value)
      #expect(JSON.number(value).encoded().contains { ".e".contains($0) })
    }
  }
}
