/// Eight bytes of a text looked at together.
///
/// Subtracting from a byte that is too small borrows and so sets its highest bit. A borrow can also
/// reach the next higher byte, so an answer of yes may be wrong when a smaller byte made it true;
/// an answer of no never is.
enum ByteWord {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Whether a quote, a backslash or a control character is among them.
  @inline(__always)
  static func needsCare(_ word: UInt64) -> Bool {
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let found =
      ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes)
      | ((backslashes &- ones) & ~backslashes)
    return found & highs != 0
  }

  /// Whether all are ASCII.
  @inline(__always)
  static func isASCII(_ word: UInt64) -> Bool { word & highs == 0 }
}
