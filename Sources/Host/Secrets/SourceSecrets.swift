import IdentityToolkit
public import Lua
public import System

/// The secrets in Lua source.
///
/// Error messages, reports, the prompt's history and the files it saves all use this, so that they mask the same
/// strings.
public struct SourceSecrets {
  /// The depth to which source within strings and comments is searched.
  private static let deepest = 3

  /// The tokens of the source, without comments.
  public let tokens: [LuaToken]
  private let all: [LuaToken]
  private let bytes: [UInt8]
  /// The kinds of the secrets, by token index.
  private let found: [Int: SecretKind]
  private let depth: Int

  /// Reads source, which may be invalid.
  public init(_ source: String) { self.init(source, depth: 0) }

  private init(_ source: String, depth: Int) {
    let bytes = Array(source.utf8)
    self.bytes = bytes
    self.depth = depth
    all = LuaLexer.tokens(of: source)
    tokens = all.filter { $0.kind != .comment }
    found =
      SourceScan(tokens) { String(decoding: bytes[$0.range], as: UTF8.self) }.found
  }

  /// The source text of a token.
  public func text(_ token: LuaToken) -> String {
    String(decoding: bytes[token.range], as: UTF8.self)
  }

  /// The possible values of a string literal: as written and decoded, or guesses if it has no end.
  static func values(of literal: String) -> [String] {
    if literal.utf8.first == UInt8(ascii: "["), let long = longString(literal) { return [long] }
    guard let quote = literal.first, quote == "\"" || quote == "'" else {
      return [literal.hasPrefix("[") ? String(literal.drop { "[=\n".contains($0) }) : literal]
    }
    let inner = String(literal.dropFirst())
    if inner.last == quote {
      let written = String(inner.dropLast())
      let read = EscapedText.read(written)
      return read == written ? [written] : [written, read]
    }
    let end = inner.lastIndex { !") }\t\"'".contains($0) }
    return [inner, end.map { String(inner[...$0]) } ?? inner]
  }

  /// The content of `[==[…]==]`; nil when it has no end.
  private static func longString(_ literal: String) -> String? {
    let marks = literal.utf8.dropFirst().prefix { $0 == UInt8(ascii: "=") }.count
    let end = "]" + String(repeating: "=", count: marks) + "]"
    guard literal.hasSuffix(end), literal.utf8.count >= 2 * (marks + 2) else { return nil }
    let inside = String(literal.dropFirst(marks + 2).dropLast(marks + 2))
    return inside.hasPrefix("\n") ? String(inside.dropFirst()) : inside
  }

  /// The token indices of the secrets.
  ///
  /// - Parameters:
  ///   - clean: Removes known secrets from a text.
  ///   - isWhole: Whether to include strings that are only partly secret, such as an address with a key.
  public func secrets(
    clean: (String) -> String = { $0 }, isWhole: Bool = false
  ) -> [Int] {
    let inner = isWhole ? innerSources : [:]
    let literals = tokens.indices.filter { SourceScan.isLiteral(tokens[$0], text(tokens[$0])) }
    let secret = literals.filter { index in
      let content = text(tokens[index])
      if found[index] != nil { return true }
      guard tokens[index].kind != .number else { return false }
      if isWhole { return shown(tokens[index], inner, by: nil, clean) != content }
      return Self.values(of: content).contains { Self.label(of: $0, clean) != nil }
    }
    // A string that is secret in one place is secret everywhere.
    let contents = Set(secret.filter { tokens[$0].kind != .number }.map { text(tokens[$0]) })
    return literals.filter { found[$0] != nil || contents.contains(text(tokens[$0])) }
  }

  /// The mask or label that replaces a whole value; nil if the value is no known secret.
  private static func label(of value: String, _ clean: (String) -> String) -> String? {
    let cleaned = clean(value)
    return cleaned != value && SecretLabels.isLabel(cleaned) ? cleaned : nil
  }

  /// The values of the secrets, without those that are also common words.
  public var values: [String] { namedValues.map(\.value) }

  /// The values of the secrets with their kinds, without those that are also common words.
  public var namedValues: [(value: String, kind: SecretKind)] {
    typealias Named = (value: String, kind: SecretKind)
    let own = secrets().flatMap { index -> [Named] in
      Self.values(of: text(tokens[index])).map { ($0, found[index] ?? .secret) }
    }
    let inner = innerSources.sorted { $0.key < $1.key }.flatMap { $0.value.source.namedValues }
    let broken: [Named] = brokenLines.flatMap(\.values).map { ($0, .secret) }
    // `"password=…&user=ada"` is no Lua, so that it has no tokens for the value.
    let texts = depth > 0 ? [] : tokens.filter { $0.kind == .string }.map(text)
    let loose = texts.flatMap(Self.values).flatMap { LooseFields($0, as: .words).unusual }
    return (own + loose + inner + broken)
      .filter { SecretNames.isSecret($0.value, under: "password") && !Self.isShortWord($0.value) }
  }

  /// Whether a value is too common to mask elsewhere: `wrong` appears in many messages.
  private static func isShortWord(_ value: String) -> Bool {
    value.utf8.count < 6 && value.utf8.allSatisfy { $0.isLetter }
  }

  /// Whether a function of this name takes secrets.
  public func takesSecrets(_ function: String) -> Bool {
    SourceCalls(tokens, text: text).takesSecrets(function)
  }

  // MARK: Replacing

  /// The source with some tokens replaced by other expressions.
  ///
  /// - Parameters:
  ///   - isSource: Whether the result must compile, so that `f "text"` needs parentheses.
  ///   - replacement: Returns the replacement of a token.
  public func replacing(
    _ indices: [Int], isSource: Bool = true, by replacement: (LuaToken) -> String
  ) -> String {
    Self.applying(edits(indices, isSource: isSource, by: replacement), to: bytes)
  }

  /// The source with its secrets replaced by a mark; line numbers stay the same.
  ///
  /// - Parameters:
  ///   - mark: The replacement of each secret; nil for its label, or a mask for a secret that `clean` does not know.
  ///   - isSource: Whether the result must compile.
  ///   - clean: Removes known secrets from a text.
  public func masked(
    by mark: String? = nil, isSource: Bool = false,
    clean: (String) -> String = { $0 }
  ) -> String {
    func lines(_ range: Range<Int>) -> String {
      String(repeating: "\n", count: bytes[range].count { $0 == 0x0A })
    }
    let secrets = secrets(clean: clean)
    var edits = edits(secrets, isSource: isSource) { token in
      let known = Self.values(of: text(token)).compactMap { Self.label(of: $0, clean) }
      let label = mark ?? known.first
      return "\"\(label ?? Redaction.mask)\"" + lines(token.range)
    }
    let whole = Set(secrets.map { tokens[$0].range.lowerBound })
    let inner = innerSources
    for token in all where !whole.contains(token.range.lowerBound) {
      guard token.kind == .comment || SourceScan.isLiteral(token, text(token)) else { continue }
      let shown = shown(token, inner, by: mark, clean)
      if shown != text(token) { edits.append((token.range, shown)) }
    }
    edits += brokenLines.map { ($0.range, "\"\(mark ?? Redaction.mask)\"") }
    return Self.applying(edits, to: bytes)
  }

  /// The source with known secrets removed from its comments, for files that are run.
  public func cleaningComments(by clean: (String) -> String) -> String {
    let inner = innerSources
    return Self.applying(
      all.filter { $0.kind == .comment }.map { comment in
        (comment.range, shown(comment, inner, by: nil, clean))
      }, to: bytes)
  }

  /// A string or comment without the secrets inside it.
  private func shown(
    _ token: LuaToken, _ inner: [Int: Inner], by mark: String?, _ clean: (String) -> String
  ) -> String {
    var shown = text(token)
    if let inner = inner[token.range.lowerBound] {
      shown =
        String(decoding: bytes[token.range.lowerBound..<inner.range.lowerBound], as: UTF8.self)
        + inner.source.masked(by: mark, clean: clean)
        + String(decoding: bytes[inner.range.upperBound..<token.range.upperBound], as: UTF8.self)
    }
    let cleaned = clean(shown)
    guard let mark else { return LooseFields.masking(cleaned, by: Redaction.mask, as: .words) }
    let marked = cleaned == shown ? cleaned : SecretLabels.replacing(in: cleaned, by: mark)
    return LooseFields.masking(marked, by: mark, as: .words)
  }

  /// A string literal split into open and secret pieces, as in the source; nil when all of it is secret, or for a
  /// long string.
  public func pieces(
    _ index: Int, clean: (String) -> String
  ) -> [(text: String, isSecret: Bool)]? {
    let token = tokens[index]
    let source = text(token)
    guard found[index] == nil, token.kind == .string, let quote = source.first, quote != "["
    else {
      return nil
    }
    let mark = "\u{1}"
    let shown = shown(token, innerSources, by: mark, clean)
    var rest = source.dropFirst().dropLast()
    var pieces: [(text: String, isSecret: Bool)] = []
    let texts = shown.dropFirst().dropLast().split(
      separator: mark, omittingEmptySubsequences: false)
    for (number, text) in texts.enumerated() {
      let isLast = number == texts.count - 1
      let place =
        isLast && rest.hasSuffix(text)
        ? rest.index(rest.endIndex, offsetBy: -text.count)..<rest.endIndex
        : rest.firstRange(of: text)
      guard let place, number > 0 || place.lowerBound == rest.startIndex else { return nil }
      if number > 0 { pieces.append((String(rest[..<place.lowerBound]), true)) }
      if !text.isEmpty { pieces.append((String(text), false)) }
      rest = rest[place.upperBound...]
    }
    return pieces.count > 1 && pieces.allSatisfy({ !$0.text.isEmpty }) ? pieces : nil
  }

  private func edits(
    _ indices: [Int], isSource: Bool, by replacement: (LuaToken) -> String
  ) -> [(range: Range<Int>, text: String)] {
    indices.map { index in
      let isArgument = isSource && index > 0 && isCallable(tokens[index - 1])
      let text = replacement(tokens[index])
      return (tokens[index].range, isArgument ? "(\(text))" : text)
    }
  }

  /// Whether a string after the token is the argument of a call.
  private func isCallable(_ token: LuaToken) -> Bool {
    token.kind == .name || token.is(")") || token.is("]") || token.kind == .string
  }

  private static func applying(
    _ edits: [(range: Range<Int>, text: String)], to bytes: [UInt8]
  ) -> String {
    var result: [UInt8] = []
    var taken = 0
    let ordered = edits.sorted {
      ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
    }
    for (range, text) in ordered where range.upperBound > taken {
      if range.lowerBound >= taken {
        result += bytes[taken..<range.lowerBound]
        result += Array(text.utf8)
      }
      taken = range.upperBound
    }
    return String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  // MARK: Inside of strings and comments

  private typealias Inner = (range: Range<Int>, source: SourceSecrets)

  /// The source in strings (for `load`) and comments (disabled code), by the position of the token.
  private var innerSources: [Int: Inner] {
    guard depth < Self.deepest else { return [:] }
    var found: [Int: Inner] = [:]
    for token in all where Self.mayHoldFields(token) && token.range.count > 6 {
      let inside = bytes[token.range]
      guard let start = inside.firstIndex(where: { !"-[=\"'".utf8.contains($0) }),
        inside[start...].contains(where: Self.isQuote)
      else { continue }
      // Only a complete string ends with a quotation mark or bracket.
      let end = token.range.upperBound - (token.kind == .string ? 1 : 0)
      guard start < end else { continue }
      let text = String(decoding: bytes[start..<end], as: UTF8.self)
      found[token.range.lowerBound] = (start..<end, SourceSecrets(text, depth: depth + 1))
    }
    return found
  }

  private static func mayHoldFields(_ token: LuaToken) -> Bool {
    token.kind == .string || token.kind == .broken || token.kind == .comment
  }

  private static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  // MARK: Broken lines

  /// The parts to mask in lines with an unfinished string or a character that Lua does not have, such as typographic
  /// quotation marks: secrets there may have been read as code.
  private var brokenLines: [(range: Range<Int>, values: [String])] {
    // Not within strings and comments, as prose contains apostrophes.
    guard depth == 0 else { return [] }
    let calls = SourceCalls(tokens, text: text)
    return tokens.filter { $0.kind == .broken && bytes[$0.range.lowerBound] != UInt8(ascii: "[") }
      .compactMap { token in
        let start = bytes[..<token.range.lowerBound].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let end = bytes[token.range.lowerBound...].firstIndex(of: 0x0A) ?? bytes.count
        return brokenLine(start..<end, calls)
      }
      .flatMap { line in
        // Around a sign of another language, as in `signIn(credential!)`, code stays code.
        isReadable(line.range) ? strings(in: line.range) : [line]
      }
  }

  /// Whether the strings of a line end, so that only they can be secrets.
  private func isReadable(_ line: Range<Int>) -> Bool {
    let start = bytes[..<line.lowerBound].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return tokens.allSatisfy { token in
      !(start..<line.upperBound).contains(token.range.lowerBound) || token.kind != .broken
        || "!?@$".utf8.contains(bytes[token.range.lowerBound])
    }
  }

  /// The strings in a part of a line that follow the name of a secret, as in `password: @"…"`.
  private func strings(in line: Range<Int>) -> [(range: Range<Int>, values: [String])] {
    tokens.indices.compactMap { index in
      let token = tokens[index]
      guard token.kind == .string, line.contains(token.range.lowerBound) else { return nil }
      let name = tokens[..<index].last { $0.kind == .name || $0.kind == .string || $0.is(",") }
      guard let name, name.kind == .name, SecretNames.isNameOfSecret(name.word) else { return nil }
      return (token.range, Self.values(of: text(token)))
    }
  }

  private func brokenLine(
    _ line: Range<Int>, _ calls: SourceCalls
  ) -> (range: Range<Int>, values: [String])? {
    var position = line.lowerBound
    var telling: Int?
    while position < line.upperBound, telling == nil {
      let word = bytes[position..<line.upperBound].prefix(while: Self.isWordByte)
      guard !word.isEmpty else {
        position += 1
        continue
      }
      position = word.endIndex
      let name = String(decoding: word, as: UTF8.self)
      if SecretNames.isNameOfSecret(name) || calls.takesSecrets(name) { telling = position }
    }
    guard let telling else { return nil }
    let isMark: (UInt8) -> Bool = { "=(<>{ ".utf8.contains($0) }
    let quote = bytes[line].firstIndex(where: Self.isQuote) ?? line.upperBound
    // Start after `password <const> =`, even if the quotation mark is missing.
    var start = telling
    let colon = bytes[telling..<line.upperBound].firstIndex { $0 != 0x20 }
    if let colon, bytes[colon] == 0x3A {
      start = bytes[(colon + 1)..<line.upperBound].firstIndex { $0 != 0x20 } ?? telling
    }
    if let assigned = bytes[telling..<line.upperBound].firstIndex(where: {
      $0 == 0x3D || $0 == 0x28
    }) {
      start = bytes[assigned..<line.upperBound].firstIndex { !isMark($0) } ?? line.upperBound
    }
    // If the quotation marks before it are paired, the text before it is what it seems.
    let isPaired = bytes[line.lowerBound..<telling].count(where: Self.isQuote).isMultiple(of: 2)
    let range = (isPaired ? start : min(start, quote))..<line.upperBound
    guard !range.isEmpty else { return nil }
    let words = bytes[range].split { "\"'` ,;()".utf8.contains($0) || $0 >= 0x80 }
    let values = words.map { String(decoding: $0, as: UTF8.self) }
    // Lua reports the error at a name after a string, and quotes the name.
    let names = tokens.indices.dropFirst().filter { index in
      tokens[index].kind == .name && range.contains(tokens[index].range.lowerBound)
        && tokens[index - 1].kind == .string
    }
    return (range, values.filter(SecretNames.looksRandom) + names.map { tokens[$0].word })
  }

  static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == 0x5F
  }
}

/// Lua source without its secrets, for error messages and reports.
public struct ShownSource: Sendable {
  let lines: [String]
  /// The secrets in the source.
  public let secrets: [String]

  /// Finds and masks the secrets in source.
  ///
  /// - Parameters:
  ///   - masksLiterals: Whether to mask what is a secret by its place in the source.
  ///   - clean: Removes known secrets from a text.
  public init(
    _ source: [UInt8], masksLiterals: Bool = true, clean: (String) -> String = { $0 }
  ) {
    let source = String(decoding: source, as: UTF8.self)
    let found = masksLiterals ? SourceSecrets(source) : nil
    // Split by bytes, as `\r\n` is one character to Swift.
    lines = (found?.masked(clean: clean) ?? clean(source)).utf8
      .split(separator: 0x0A, omittingEmptySubsequences: false).map { String(Substring($0)) }
    secrets = found?.values ?? []
  }

  /// A text about the source, such as a syntax error of Lua, without its secrets.
  func clean(_ text: String) -> String {
    SecretMasker(secrets).clean(text)
  }
}
