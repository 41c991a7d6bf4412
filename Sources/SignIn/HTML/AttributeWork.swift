import System

/// Estimates how many comparisons the attributes of a page cost in libxml2.
///
/// For each attribute, libxml2 walks over the earlier ones in the same tag, to find duplicates and
/// the end of its list (htmlParseStartElement, xmlSAX2AttributeInternal). 200,000 attributes in one
/// tag take minutes and cannot be interrupted, so such a page is refused before parsing.
struct AttributeWork {
  /// The cost of a tag with 10,000 attributes; a tag of a sign-in page has about ten.
  static let most = 50_000_000

  /// Parser states within a tag, as in htmlParseStartElement.
  private enum State {
    case tagName, beforeName, name, afterName, beforeValue, doubleQuoted, singleQuoted, unquoted
    /// Not a name; continues to the next blank.
    case bogus
  }

  /// The possible states of the current tag, each with its maximum number of attributes so far.
  ///
  /// Only a parser knows which `<` begins a tag: in a comment or script none does. Here each one
  /// does, so that the result is never too small.
  private var tags: [(state: State, count: Int)] = []
  private var comparisons = 0

  /// Whether a page is cheap enough to parse.
  ///
  /// It must be in UTF-8, or another encoding with ASCII values for `<`, `"` and blanks.
  static func isBearable(_ page: [UInt8]) -> Bool {
    var work = AttributeWork()
    var previous: UInt8 = 0
    // UTF-16 has a zero next to each ASCII character.
    for byte in page where byte != 0 {
      if !work.tags.isEmpty { work.read(byte) }
      if previous == UInt8(ascii: "<"), isStart(byte) { work.begin() }
      if work.comparisons > most { return false }
      previous = byte
    }
    return true
  }

  private mutating func begin() {
    if !tags.contains(where: { $0.state == .tagName }) { tags.append((.tagName, 0)) }
  }

  private mutating func read(_ byte: UInt8) {
    var kept = 0
    for (state, count) in tags {
      guard let target = Self.target(of: state, byte) else { continue }
      var count = count
      if target == .name, state != .name {
        comparisons += count
        count += 1
      }
      if let same = tags[..<kept].firstIndex(where: { $0.state == target }) {
        tags[same].count = max(tags[same].count, count)
      } else {
        tags[kept] = (target, count)
        kept += 1
      }
    }
    tags.removeLast(tags.count - kept)
  }

  /// Returns the state after a byte; nil after the end of the tag.
  private static func target(of state: State, _ byte: UInt8) -> State? {
    switch state {
    case .tagName, .name:
      if isStart(byte) || byte.isDigit || byte == UInt8(ascii: "-") { return state }
      if state == .name, byte == UInt8(ascii: "=") { return .beforeValue }
      if isBlank(byte) { return state == .name ? .afterName : .beforeName }
    case .afterName:
      if byte == UInt8(ascii: "=") { return .beforeValue }
      if isBlank(byte) { return .afterName }
    case .beforeName: break
    case .beforeValue:
      switch byte {
      case UInt8(ascii: "\""): return .doubleQuoted
      case UInt8(ascii: "'"): return .singleQuoted
      case UInt8(ascii: ">"): return nil
      default: return isBlank(byte) ? .beforeValue : .unquoted
      }
    case .doubleQuoted: return byte == UInt8(ascii: "\"") ? .beforeName : .doubleQuoted
    case .singleQuoted: return byte == UInt8(ascii: "'") ? .beforeName : .singleQuoted
    case .unquoted, .bogus:
      if byte == UInt8(ascii: ">") { return nil }
      return isBlank(byte) ? .beforeName : state
    }
    if byte == UInt8(ascii: ">") { return nil }
    if isBlank(byte) { return .beforeName }
    return isStart(byte) ? .name : .bogus
  }

  /// Whether a name may begin with the byte.
  private static func isStart(_ byte: UInt8) -> Bool {
    byte.isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
      || byte == UInt8(ascii: ".")
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
