@testable import System
import Testing

@Suite struct TimestampTests {
  static let moments: [(milliseconds: Int64, text: String)] = [
    (0, "1970-01-01T00:00:00.000Z"), (1_769_860_800_123, "2026-01-31T12:00:00.123Z"),
    (951_782_399_999, "2000-02-28T23:59:59.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (-5, "1969-12-31T23:59:59.995Z"), (-1000, "1969-12-31T23:59:59.000Z"),
    (-86_400_000, "1969-12-31T00:00:00.000Z"), (-2_203_891_200_001, "1900-02-28T23:59:59.999Z"),
    (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
  ]

  @Test(arguments: moments)
  func `a moment before or after 1970 is written and read`(
    _ milliseconds: Int64, _ text: String
  ) {
    #expect(Timestamp.text(milliseconds: milliseconds) == text)
    #expect(Timestamp.milliseconds(of: text) == milliseconds)
  }

  @Test func `what the years of RFC 3339 do not reach is their first or last moment`() {
    #expect(Timestamp.text(milliseconds: .min) == "0000-01-01T00:00:00.000Z")
    #expect(Timestamp.text(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
  }
}
