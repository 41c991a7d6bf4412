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

  /// A part of a text that is a secret by its place, in bytes.
  public typealias Field = (range: Range<Int>, value: String, kind: SecretKind)

  /// Replaces each secret in a text.
  ///
  /// - Parameters:
  ///   - mask: What replaces secrets without labels.
  ///   - keepsTokens: Whether to keep JWTs, for callers that decode them.
  ///   - fields: What is secret by its place; with known secrets that overlap it, it is replaced as a whole.
  public func clean(
    _ text: String, mask: String = Redaction.mask, keepsTokens: Bool = false,
    as style: SecretLabels.Style = .numbered, fields: [Field] = []
  ) -> String {
    guard text.utf8.count >= Self.shortest else { return text }
    var text = text
    let found = text.withUTF8 { bytes in
      let known = self.found(in: bytes, keepsTokens: keepsTokens)
      return known
        + fields.filter { !Self.isKnown($0.range, known, in: bytes) }.map { field in
          Found(
            range: field.range, owner: MultiPatternMatcher.hash(field.value), kind: field.kind,
            isField: true)
        }
    }
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
    /// Whether it is a secret by its place.
    var isField = false
  }

  /// Whether a field consists of a known secret and punctuation: `hunter22.` at the end of a sentence.
  private static func isKnown(
    _ field: Range<Int>, _ known: [Found], in bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    known.contains { known in
      guard field.lowerBound <= known.range.lowerBound,
        known.range.upperBound <= field.upperBound, known.range != field
      else { return false }
      let isPlain: (UInt8) -> Bool = { $0.isLetterOrDigit || $0 >= 0x80 }
      return !bytes[field.lowerBound..<known.range.lowerBound].contains(where: isPlain)
        && !bytes[known.range.upperBound..<field.upperBound].contains(where: isPlain)
    }
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
      let start = longest.range.lowerBound
      var end = longest.range.upperBound
      var isField = longest.isField
      result += bytes[kept..<longest.range.lowerBound]
      index += 1
      while index < found.count, found[index].range.lowerBound < end {
        if found[index].range.count > longest.range.count { longest = found[index] }
        end = max(end, found[index].range.upperBound)
        isField = isField || found[index].isField
        index += 1
      }
      result += Array(mask(longest).utf8)
      // Keep line breaks, so that the following text stays on its line.
      if isField { result += bytes[start..<end].filter { $0 == 0x0A } }
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
