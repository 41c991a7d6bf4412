import Synchronization

/// Removes the secrets of a run from all output, by their values.
///
/// It finds a secret in any text, alone or inside other words. Recognized encodings are plain text,
/// partial or full percent-encoding, JSON strings, HTML, and both Base64 alphabets, also across
/// lines. It also finds all that looks like a JWT. It stores no secrets, only hashes. The time for
/// a text does not grow with the number of secrets.
public final class SecretMasker: Sendable {
  /// Shorter values would occur in many words; they are masked by field names only.
  public static let shortest = 4

  private struct State {
    var marked = MultiPatternMatcher()
    var young = MultiPatternMatcher()
    var old = MultiPatternMatcher()
  }

  private let state = Mutex(State())
  private let insideWords: Bool
  private let generation: Int

  /// Creates a masker of these secrets.
  ///
  /// - Parameters:
  ///   - insideWords: Whether short secrets match inside longer words, too, for a few texts of one origin.
  ///   - generation: Above this many spellings the older half is dropped, except marked
  ///     ones: a run may last for hours, and its first tokens are long expired then.
  public init(_ secrets: [String] = [], insideWords: Bool = false, generation: Int = 400_000) {
    self.insideWords = insideWords
    self.generation = generation
    add(secrets)
  }

  /// Adds secrets.
  ///
  /// - Parameter marked: whether to keep them forever, for secrets that the user named.
  public func add(_ values: [String], marked: Bool = false) {
    state.withLock { state in
      for value in values where value.utf8.count >= Self.shortest {
        if marked {
          state.marked.add(value, insideWords)
          continue
        }
        guard !state.marked.knows(value) else { continue }
        state.young.add(value, insideWords)
        guard state.young.count > generation else { continue }
        state.old = state.young
        state.young = MultiPatternMatcher()
      }
    }
  }

  /// Replaces each secret in a text by a mask.
  ///
  /// - Parameter keepsTokens: Whether to keep JWTs, for callers that decode them.
  public func clean(
    _ text: String, mask: String = Redaction.mask, keepsTokens: Bool = false
  ) -> String {
    guard text.utf8.count >= Self.shortest else { return text }
    var text = text
    let ranges = text.withUTF8 { self.ranges(in: $0, keepsTokens: keepsTokens) }
    return Self.replacing(ranges, in: text, by: mask)
  }

  /// Returns the ranges of the secrets in a text; they may overlap.
  func ranges(in bytes: UnsafeBufferPointer<UInt8>, keepsTokens: Bool = false) -> [Range<Int>] {
    let tokens = TokenShape.ranges(in: bytes)
    var found = known(in: bytes)
    if let joined = JoinedLines(bytes) {
      found += joined.bytes.withUnsafeBufferPointer { bytes in
        (TokenShape.ranges(in: bytes) + known(in: bytes)).map(joined.inText)
      }
    }
    if let plain = UnescapedText(bytes) {
      found += plain.bytes.withUnsafeBufferPointer { known(in: $0).map(plain.inText) }
    }
    guard keepsTokens else { return tokens + found }
    return found.filter { range in !tokens.contains { $0.overlaps(range) } }
  }

  /// Searches inside of JWTs, too, because the bytes of a JWT may end its recognized range early.
  private func known(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    state.withLock { state in
      state.marked.ranges(in: bytes) + state.young.ranges(in: bytes)
        + state.old.ranges(in: bytes)
    }
  }

  /// Replaces each range, and those that overlap together, by a mask.
  static func replacing(_ ranges: [Range<Int>], in text: String, by mask: String) -> String {
    guard !ranges.isEmpty else { return text }
    let ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var kept = 0
    for range in ranges where range.upperBound > kept {
      // If it overlaps the range before, the previous mask already hides its start.
      if range.lowerBound >= kept {
        result += bytes[kept..<range.lowerBound]
        result += Array(mask.utf8)
      }
      kept = range.upperBound
    }
    result += bytes[kept...]
    return String(decoding: result, as: UTF8.self)
  }
}

/// Finds any of many byte strings in a text, in time that depends on the text alone.
///
/// For each string it stores four or eight bytes from its middle, where tokens differ most, to
/// search for, and a hash of the whole string to compare.
struct MultiPatternMatcher {
  private struct Entry {
    let hash: Int
    let length: Int
    /// The offset of the searched bytes in the string.
    let offset: Int
    /// Whether it matches only as a whole word, because four digits occur in many numbers.
    let isWord: Bool
  }

  private(set) var count = 0
  private var values: Set<Int> = []
  private var long: [UInt64: [Entry]] = [:]
  private var short: [UInt32: [Entry]] = [:]
  /// A Bloom filter of the first four searched bytes; it rules out most positions of a text.
  private var filter: [UInt64] = []

  mutating func add(_ value: String, _ insideWords: Bool) {
    guard values.insert(Self.hash(value)).inserted else { return }
    // Not earlier, because many matchers stay empty.
    if filter.isEmpty { filter = [UInt64](repeating: 0, count: 1 << 12) }
    for spelling in SecretSpellings.all(of: value) {
      let isWord = spelling.isWord && !insideWords
      spelling.bytes.withUnsafeBufferPointer { insert($0, isWord: isWord) }
    }
  }

  func knows(_ value: String) -> Bool { !values.isEmpty && values.contains(Self.hash(value)) }

  private mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>, isWord: Bool) {
    guard bytes.count >= 4 else { return }
    count += 1
    let hash = Self.hash(UnsafeRawBufferPointer(bytes))
    let raw = UnsafeRawBufferPointer(bytes)
    func entry(_ offset: Int) -> Entry {
      Entry(hash: hash, length: bytes.count, offset: offset, isWord: isWord)
    }
    let last = bytes.count - 8
    if last < 0 {
      let key = raw.loadUnaligned(as: UInt32.self)
      short[key, default: []].append(entry(0))
      mark(key)
      return
    }
    // Strings of the same origin may share their middle; use the offset that the fewest others share.
    let offsets = [last / 2, last / 4, last * 3 / 4, last]
    var best = (offset: 0, crowd: Int.max)
    for offset in offsets where best.crowd > 0 {
      let crowd = long[raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)]?.count ?? 0
      if crowd < best.crowd { best = (offset, crowd) }
    }
    long[raw.loadUnaligned(fromByteOffset: best.offset, as: UInt64.self), default: []]
      .append(entry(best.offset))
    mark(raw.loadUnaligned(fromByteOffset: best.offset, as: UInt32.self))
  }

  private mutating func mark(_ key: UInt32) {
    let bit = Self.bit(of: key)
    filter[bit >> 6] |= 1 << UInt64(bit & 63)
  }

  private static func bit(of key: UInt32) -> Int { Int((key &* 2_654_435_761) >> 14) }

  /// Returns the ranges of the strings in a text; they may overlap.
  func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    guard count > 0, text.count >= 4 else { return [] }
    let raw = UnsafeRawBufferPointer(text)
    var found: [Range<Int>] = []
    filter.withUnsafeBufferPointer { filter in
      for position in 0...(text.count - 4) {
        let key = raw.loadUnaligned(fromByteOffset: position, as: UInt32.self)
        let bit = Self.bit(of: key)
        guard filter[bit >> 6] & (1 << UInt64(bit & 63)) != 0 else { continue }
        for entry in short[key] ?? [] { add(entry, at: position, in: text, to: &found) }
        guard position + 8 <= text.count else { continue }
        let wide = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        for entry in long[wide] ?? [] { add(entry, at: position, in: text, to: &found) }
      }
    }
    return found
  }

  private func add(
    _ entry: Entry, at position: Int, in text: UnsafeBufferPointer<UInt8>,
    to found: inout [Range<Int>]
  ) {
    let start = position - entry.offset
    let end = start + entry.length
    guard start >= 0, end <= text.count,
      Self.hash(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text[start..<end])))
        == entry.hash
    else { return }
    if entry.isWord {
      if start > 0, Self.isWordByte(text[start - 1]) { return }
      if end < text.count, Self.isWordByte(text[end]) { return }
    }
    found.append(start..<end)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte >= 0x80
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  private static func hash(_ value: String) -> Int {
    var value = value
    return value.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }
}
