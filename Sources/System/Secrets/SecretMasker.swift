import Synchronization

/// Removes the secrets of a run from all output, by their values.
///
/// It finds a secret in any text, alone or inside other words. Recognized encodings are plain text,
/// partial or full percent-encoding, JSON strings, HTML, and both Base64 alphabets, also across
/// lines. It also finds all that looks like a JWT. It stores no secrets, only hashes. The time for
/// a text does not grow with the number of secrets.
///
/// With labels, each secret is replaced by its kind and number instead of a common mask.
public final class SecretMasker: Sendable {
  /// Shorter values would occur in many words; they are masked by field names only.
  public static let shortest = 4

  private struct State {
    var marked = MultiPatternMatcher()
    var young = MultiPatternMatcher()
    var old = MultiPatternMatcher()

    /// The kind of a known secret; nil when it is unknown, or of unknown kind.
    func kind(of owner: Int) -> SecretKind? {
      let kind = marked.kinds[owner] ?? young.kinds[owner] ?? old.kinds[owner]
      return kind == .secret ? nil : kind
    }
  }

  private let state = Mutex(State())
  private let labels: SecretLabels?
  private let findsTokens: Bool
  private let insideWords: Bool
  private let generation: Int

  /// Creates a masker of these secrets.
  ///
  /// - Parameters:
  ///   - labels: The labels of the run; without them, all secrets have the same mask.
  ///   - findsTokens: Whether to find all that looks like a JWT.
  ///   - insideWords: Whether short secrets match inside longer words, too, for a few texts of one origin.
  ///   - generation: Above this many spellings the older half is dropped, except marked
  ///     ones: a run may last for hours, and its first tokens are long expired then.
  public init(
    _ secrets: [String] = [], labels: SecretLabels? = nil, findsTokens: Bool = true,
    insideWords: Bool = false, generation: Int = 400_000
  ) {
    self.labels = labels
    self.findsTokens = findsTokens
    self.insideWords = insideWords
    self.generation = generation
    add(secrets)
  }

  /// Creates a masker of a few secrets that uses the labels of this one.
  public func masker(of secrets: [(value: String, kind: SecretKind)]) -> SecretMasker {
    let masker = SecretMasker(labels: labels)
    masker.add(secrets)
    return masker
  }

  /// Adds secrets of one kind.
  ///
  /// - Parameter marked: whether to keep them forever, for secrets that the user named.
  public func add(_ values: [String], kind: SecretKind = .secret, marked: Bool = false) {
    add(values.map { ($0, kind) }, marked: marked)
  }

  /// Adds secrets.
  ///
  /// The kind of a known secret changes only if it was unknown.
  ///
  /// - Parameter marked: whether to keep them forever, for secrets that the user named.
  public func add(_ secrets: [(value: String, kind: SecretKind)], marked: Bool = false) {
    state.withLock { state in
      for (value, kind) in secrets where value.utf8.count >= Self.shortest {
        if marked {
          state.marked.add(value, kind, insideWords)
          continue
        }
        guard !state.marked.learn(kind, of: value) else { continue }
        state.young.add(value, kind, insideWords)
        guard state.young.count > generation else { continue }
        state.old = state.young
        state.young = MultiPatternMatcher()
      }
    }
  }

  /// Replaces each secret in a text.
  ///
  /// - Parameters:
  ///   - mask: What replaces secrets without labels.
  ///   - keepsTokens: Whether to keep JWTs, for callers that decode them.
  public func clean(
    _ text: String, mask: String = Redaction.mask, keepsTokens: Bool = false,
    as style: SecretLabels.Style = .numbered
  ) -> String {
    guard text.utf8.count >= Self.shortest else { return text }
    var text = text
    let found = text.withUTF8 { self.found(in: $0, keepsTokens: keepsTokens) }
    guard !found.isEmpty else { return text }
    guard let labels else { return Self.replacing(found, in: text) { _ in mask } }
    let bytes = Array(text.utf8)
    return Self.replacing(found, in: text) { found in
      let kind = {
        if let kind = found.kind, kind != .secret { return kind }
        return self.state.withLock { $0.kind(of: found.owner) } ?? found.kind
          ?? TokenShape.kind(String(decoding: bytes[found.range], as: UTF8.self))
      }
      return style == .kind ? "[\(kind().rawValue)]" : labels.label(found.owner, kind)
    }
  }

  /// What replaces a value that is a secret, although it may be unknown so far.
  ///
  /// - Parameter kind: The kind of an unknown value; in `kind` style also of a known one.
  public func label(
    _ value: String, kind: SecretKind, as style: SecretLabels.Style = .numbered
  ) -> String {
    guard let labels else { return Redaction.mask }
    if style == .kind, kind != .secret { return "[\(kind.rawValue)]" }
    let owner = MultiPatternMatcher.hash(value)
    let known = { self.state.withLock { $0.kind(of: owner) } ?? kind }
    return style == .kind ? "[\(known().rawValue)]" : labels.label(owner, known)
  }

  /// A secret in a text.
  struct Found {
    let range: Range<Int>
    /// The hash of the secret.
    let owner: Int
    /// The kind; nil for a JWT that is known by its shape only.
    let kind: SecretKind?
  }

  /// Returns the ranges of the secrets in a text; they may overlap.
  func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    found(in: bytes, keepsTokens: false).map(\.range)
  }

  /// Returns the secrets in a text; they may overlap.
  private func found(in bytes: UnsafeBufferPointer<UInt8>, keepsTokens: Bool) -> [Found] {
    let tokens = tokens(in: bytes)
    var found = known(in: bytes)
    if let joined = JoinedLines(bytes) {
      found += joined.bytes.withUnsafeBufferPointer { bytes in
        (self.tokens(in: bytes) + known(in: bytes)).map { found in
          Found(
            range: joined.inText(found.range), owner: found.owner, kind: found.kind ?? .token)
        }
      }
    }
    if let plain = UnescapedText(bytes) {
      found += plain.bytes.withUnsafeBufferPointer { bytes in
        known(in: bytes).map {
          Found(range: plain.inText($0.range), owner: $0.owner, kind: $0.kind)
        }
      }
    }
    guard keepsTokens else { return tokens + found }
    return found.filter { found in !tokens.contains { $0.range.overlaps(found.range) } }
  }

  private func tokens(in bytes: UnsafeBufferPointer<UInt8>) -> [Found] {
    guard findsTokens else { return [] }
    return TokenShape.ranges(in: bytes).map { range in
      // At the end of a sentence, the range includes its full stop.
      let stop = bytes[range].lastIndex { $0 != UInt8(ascii: ".") } ?? range.lowerBound
      let isUnsigned = bytes[range].count { $0 == UInt8(ascii: ".") } == 2
      let end = isUnsigned ? range.upperBound : stop + 1
      let owner = MultiPatternMatcher.hash(
        UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range.lowerBound..<end])))
      return Found(
        range: range, owner: owner,
        kind: labels == nil ? nil : state.withLock { $0.kind(of: owner) })
    }
  }

  /// Searches inside of JWTs, too, because the bytes of a JWT may end its recognized range early.
  private func known(in bytes: UnsafeBufferPointer<UInt8>) -> [Found] {
    state.withLock { state in
      state.marked.found(in: bytes) + state.young.found(in: bytes) + state.old.found(in: bytes)
    }
  }

  /// Replaces each secret, and those that overlap together by the mask of the longest.
  private static func replacing(
    _ found: [Found], in text: String, by mask: (Found) -> String
  ) -> String {
    let found = found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var kept = 0
    var index = 0
    while index < found.count {
      var longest = found[index]
      var end = longest.range.upperBound
      result += bytes[kept..<longest.range.lowerBound]
      index += 1
      while index < found.count, found[index].range.lowerBound < end {
        if found[index].range.count > longest.range.count { longest = found[index] }
        end = max(end, found[index].range.upperBound)
        index += 1
      }
      result += Array(mask(longest).utf8)
      kept = end
    }
    result += bytes[kept...]
    return String(decoding: result, as: UTF8.self)
  }

  /// Replaces ranges, and those that overlap together, by a mask.
  static func replacing(_ ranges: [Range<Int>], in text: String, by mask: String) -> String {
    guard !ranges.isEmpty else { return text }
    return replacing(ranges.map { Found(range: $0, owner: 0, kind: nil) }, in: text) { _ in mask }
  }
}

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
