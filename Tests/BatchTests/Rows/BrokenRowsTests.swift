import Testing

@testable import Batch

/// Inputs that nobody meant.
@Suite(.timeLimit(.minutes(2))) struct BrokenRowsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Numbers that are the same in every run (Marsaglia's xorshift).
  private struct Chance: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  static let seeds: [RowFormat: String] = [
    .csv: "a,b,c\r\n1,\"2\",3\n\"x\"\"y\",\"\r\n\",\n,,\n\u{e4},\"\u{1F600}\",z\n",
    .ndjson: "{\"a\":\"x\"}\n\n{\"b\":[1,{\"c\":null}]}\r\n{\"d\":\"\\u00e4\u{e4}\"}",
    .json: "[{\"a\":\"}\"},\n {\"b\":[1,{\"c\":null}]},{\"d\":\"\\\"\\\\\u{e4}\"}]\n",
  ]

  @Test(arguments: RowFormat.allCases)
  func `whatever comes, the reading ends, and lines and numbers rise`(format: RowFormat) throws {
    let good = Array(try #require(Self.seeds[format]).utf8)
    let special: [UInt8] = [0, 0x0A, 0x0D, 0xFF, 0xC3] + Array("\",;[]{}\\:x".utf8)
    var chance = Chance(state: 88_172_645_463_325_252)
    for round in 0..<1500 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        let at = Int.random(in: 0..<max(bytes.count, 1), using: &chance)
        let byte = special.randomElement(using: &chance) ?? 0
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: bytes.insert(byte, at: min(at, bytes.count))
        case 1 where !bytes.isEmpty: bytes.remove(at: at)
        case 2 where !bytes.isEmpty: bytes[at] = byte
        default: bytes = Array(bytes[..<min(at, bytes.count)])
        }
      }
      let path = try scratch.write("rows", bytes)
      do throws(BatchProblem) {
        let reader = try RowInput(path: path, format: format).open()
        var last: (number: Int64, line: Int64) = (0, 0)
        while let row = try reader.next() {
          #expect(row.number == last.number + 1, "round \(round)")
          #expect(row.line >= last.line && row.line <= bytes.count, "round \(round)")
          last = (row.number, row.line)
        }
        #expect(try reader.next() == nil, "round \(round)")
      } catch {
        #expect(error.code == .usage, "round \(round): \(error.message)")
      }
    }
  }
}
