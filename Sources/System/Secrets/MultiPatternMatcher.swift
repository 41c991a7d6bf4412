/// Finds any of many byte strings in a text, in time that depends on the text alone.
///
/// For each string it stores four or eight bytes from its middle, where tokens differ most, to
/// search for, and a hash of the whole string to compare.
struct MultiPatternMatcher {
  private struct Entry {
    let hash: Int
    /// The hash of the secret that this is a spelling of.
    let owner: Int
    let length: Int32
    /// The offset of the searched bytes in the string.
    let offset: Int32
    /// Whether it matches only as a whole word, because four digits occur in many numbers.
    let isWord: Bool
  }

  private(set) var count = 0
  /// The kinds of the secrets, by hash.
  private(set) var kinds: [Int: SecretKind] = [:]
  private var long: [UInt64: [Entry]] = [:]
  private var short: [UInt32: [Entry]] = [:]
  /// A Bloom filter of the first four searched bytes; it rules out most positions of a text.
  private var filter: [UInt64] = []

  mutating func add(_ value: String, _ kind: SecretKind, _ insideWords: Bool) {
    guard !learn(kind, of: value) else { return }
    let owner = Self.hash(value)
    kinds[owner] = kind
    // Not earlier, because many matchers stay empty.
    if filter.isEmpty { filter = [UInt64](repeating: 0, count: 1 << 12) }
    for spelling in SecretSpellings.all(of: value) {
      let isWord = spelling.isWord && !insideWords
      spelling.bytes.withUnsafeBufferPointer { insert($0, of: owner, isWord: isWord) }
    }
  }

  /// Records the kind of a secret if it was unknown; returns whether the secret is known.
  mutating func learn(_ kind: SecretKind, of value: String) -> Bool {
    guard !kinds.isEmpty else { return false }
    let owner = Self.hash(value)
    guard let known = kinds[owner] else { return false }
    if known == .secret, kind != .secret { kinds[owner] = kind }
    return true
  }

  private mutating func insert(
    _ bytes: UnsafeBufferPointer<UInt8>, of owner: Int, isWord: Bool
  ) {
    guard (4...Int(Int32.max)).contains(bytes.count) else { return }
    count += 1
    let hash = Self.hash(UnsafeRawBufferPointer(bytes))
    let raw = UnsafeRawBufferPointer(bytes)
    func entry(_ offset: Int) -> Entry {
      Entry(
        hash: hash, owner: owner, length: Int32(bytes.count), offset: Int32(offset),
        isWord: isWord)
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

  /// Returns the strings in a text; they may overlap.
  func found(in text: UnsafeBufferPointer<UInt8>) -> [SecretMasker.Found] {
    guard count > 0, text.count >= 4 else { return [] }
    let raw = UnsafeRawBufferPointer(text)
    var found: [SecretMasker.Found] = []
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
    to found: inout [SecretMasker.Found]
  ) {
    let start = position - Int(entry.offset)
    let end = start + Int(entry.length)
    guard start >= 0, end <= text.count,
      Self.hash(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text[start..<end])))
        == entry.hash
    else { return }
    if entry.isWord {
      if start > 0, Self.isWordByte(text[start - 1]) { return }
      if end < text.count, Self.isWordByte(text[end]) { return }
    }
    found.append(
      SecretMasker.Found(
        range: start..<end, owner: entry.owner, kind: kinds[entry.owner] ?? .secret))
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte >= 0x80
  }

  static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  static func hash(_ value: String) -> Int {
    var value = value
    return value.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }
}
