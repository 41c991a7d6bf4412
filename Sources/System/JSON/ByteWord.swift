/// Checks eight bytes of a text at once.
///
/// Subtracting a larger value from a byte borrows and thereby sets its highest bit. A borrow can also reach the
/// next higher byte, so a check may return true wrongly if a lower byte matched; false is always right.
enum ByteWord {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Whether one of the bytes may be a quote, a backslash or a control character.
  @inline(__always)
  static func needsCare(_ word: UInt64) -> Bool {
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let found =
      ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes)
      | ((backslashes &- ones) & ~backslashes)
    return found & highs != 0
  }

  /// Whether all bytes are ASCII.
  @inline(__always)
  static func isASCII(_ word: UInt64) -> Bool { word & highs == 0 }
}
