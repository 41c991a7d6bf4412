internal import System

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
  private var filter = [UInt64](repeating: 0, count: 1 << 12)

  /// Adds all spellings of a value.
  mutating func add(_ value: String) {
    guard values.insert(Self.hash(value)).inserted else { return }
    for spelling in SecretSpellings.all(of: value) {
      spelling.bytes.withUnsafeBufferPointer { insert($0, isWord: spelling.isWord) }
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
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
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
