/// Cleans a server's message for an error text: no secrets, no control characters, limited length.
///
/// Servers quote tokens and redirect addresses in refusals, and those messages end up in logs and on terminals.
public struct Redaction: Sendable {
  /// The replacement for a secret.
  public static let mask = "[secret]"

  private static let longest = 600

  private let masker: SecretMasker
  private let hidesRandomWords: Bool

  /// Creates a redaction for these secrets, in any encoding and also inside longer words.
  ///
  /// - Parameter hidesRandomWords: Whether to mask all that could be an opaque token. Only for servers whose
  ///   messages have no ids worth reading: the uid of an account looks random, too.
  public init(secrets: [String] = [], hidesRandomWords: Bool = false) {
    masker = SecretMasker(secrets, insideWords: true)
    self.hidesRandomWords = hidesRandomWords
  }

  /// Removes the secrets from a text.
  public func clean(_ text: String) -> String {
    var text = text
    let ranges = text.withUTF8 { bytes in
      masker.ranges(in: bytes) + Self.tokensAndQueries(in: bytes)
        + (hidesRandomWords ? Self.randomWords(in: bytes) : [])
    }
    var line = String.UnicodeScalarView()
    for scalar in SecretMasker.replacing(ranges, in: text, by: Self.mask).unicodeScalars {
      line.append(Self.isShown(scalar) ? scalar : " ")
    }
    let bytes = Array(String(line).utf8)
    guard bytes.count > Self.longest else { return String(line) }
    var end = Self.longest
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: bytes[..<end], as: UTF8.self) + "…"
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    // Joiners are part of emoji and of some languages; the other format characters reorder text or are invisible.
    case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }

  /// The words that contain what looks like a JWT, and what follows `?` or `#` in a URL.
  private static func tokensAndQueries(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for word in text.split(whereSeparator: { $0 <= 0x20 || "\"'<>".utf8.contains($0) }) {
      if let scheme = word.firstRange(of: "://".utf8)?.lowerBound,
        let mark = word[scheme...].firstIndex(where: { $0 == 0x3F || $0 == 0x23 })
      {
        found.append(mark + 1..<word.endIndex)
      }
      guard let token = word.firstRange(of: "eyJ".utf8)?.lowerBound else { continue }
      let before = word[..<token].lastIndex { !TokenShape.isTokenByte($0) }
      let start = before.map { $0 + 1 } ?? word.startIndex
      if word.endIndex - start > 20 { found.append(start..<word.endIndex) }
    }
    return found
  }

  /// The words, between dots, that look random by length and characters.
  private static func randomWords(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    // A Base64 token may contain slashes anywhere, so each part of the word is checked.
    text.split { !TokenShape.isTokenByte($0) && !"+/=~".utf8.contains($0) || $0 == 0x2E }
      .filter { word in word.split(separator: UInt8(ascii: "/")).contains(where: isRandom) }
      .map { $0.startIndex..<$0.endIndex }
  }

  private static func isRandom(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    word.count >= 24 && word.contains { (0x30...0x39).contains($0) }
      && word.contains { (0x61...0x7A).contains($0 | 0x20) } && !isIdentifier(word)
  }

  /// Whether this is a GUID, which Microsoft uses for tenants, apps and traces.
  private static func isIdentifier(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    word.split(separator: 0x2D, omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12]
      && word.allSatisfy {
        (0x30...0x39).contains($0) || $0 == 0x2D || (0x61...0x66).contains($0 | 0x20)
      }
  }
}
