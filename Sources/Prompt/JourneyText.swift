import Host
import Lua

/// Writes a session as a file with one journey, which expects the observed values.
///
/// Failed entries are left out, unless a later entry uses their error. The journey generates its own
/// secrets, and expects values that differ in each run by their shape.
struct JourneyText {
  let entries: [SessionEntry]
  /// The names that a session begins with, and the source with which scripts define them.
  let names: [String: String]
  /// Removes known secrets from a text.
  let clean: (String) -> String

  private static let own: Set<String> = ["help", "apropos", "reveal"]

  /// The file; nil when no entry belongs in a journey.
  func text(named name: String) -> String? {
    guard let body = body(knowing: ["expect"]) else { return nil }
    let head = """
      --- Recorded at luath's prompt. What changes from run to run is expected by its shape; what was
      --- secret is made up again.
      local expect <const> = require "luath.expect"
      local journey <const> = require "luath.journey"


      """
    return head + "journey(\(quoted(name)), function()\n\(indented(body))end)\n"
  }

  /// The lines of the journey's function, not indented; nil when no entry belongs in it.
  ///
  /// - Parameter known: The names that are defined where the lines will be.
  func body(knowing known: Set<String>) -> String? {
    let kept = Self.story(of: entries)
    guard !kept.isEmpty else { return nil }
    var secrets: [String: String] = [:]
    var body = ""
    var derived = DerivedValues(clean: clean)
    for (index, seen) in kept.enumerated() {
      let text = withoutSecrets(seen, &secrets)
      var entry = seen
      entry.expected = derived.expected(of: seen)
      body += lines(of: entry, text, later: kept[(index + 1)...])
    }
    var head = ""
    var mentioned = kept.reduce(into: Set<String>()) { $0.formUnion(Self.mentioned($1.text)) }
    if body.contains("expect.") { mentioned.insert("expect") }
    for name in names.keys.sorted() where mentioned.contains(name) && !known.contains(name) {
      head += "local \(name) = \(names[name] ?? "nil")\n"
    }
    for (content, secret) in secrets.sorted(by: { Self.byNumber($0.value, $1.value) }) {
      let source = Self.isKeyOfCodes(content) ? "totp\").secret()" : "crypto\").random()"
      head += "local \(secret) <const> = require(\"luath.\(source)\n"
    }
    return head + body
  }

  /// Whether a string literal is a TOTP secret in base 32 (RFC 4648), which `totp.code` requires.
  private static func isKeyOfCodes(_ literal: String) -> Bool {
    literal.wholeMatch(of: /["'][A-Z2-7 ]{16,}=*["']/) != nil
  }

  private static func byNumber(_ one: String, _ other: String) -> Bool {
    (one.count, one) < (other.count, other)
  }

  /// The entries to keep: those that succeeded, and those whose error a later entry uses.
  static func story(of entries: [SessionEntry]) -> [SessionEntry] {
    entries.filter { isKept($0, among: entries) }
  }

  private static func isKept(_ entry: SessionEntry, among entries: [SessionEntry]) -> Bool {
    let mentioned = Self.mentioned(entry.text)
    guard mentioned.isDisjoint(with: Self.own) else { return false }
    guard !entry.isGood else { return true }
    for later in entries where later.number > entry.number {
      if Self.mentioned(later.text).contains("_err") { return later.isGood }
      if !later.isGood { return false }
    }
    return false
  }

  // MARK: One text

  private func lines(
    of entry: SessionEntry, _ text: String, later: ArraySlice<SessionEntry>
  ) -> String {
    guard entry.isGood else { return failure(entry, text) }
    guard entry.isExpression || !entry.expected.isEmpty else { return text + "\n" }
    let expression = entry.isExpression ? Self.bare(text) : "(function()\n\(indented(text))\nend)()"
    guard let first = entry.expected.first else {
      // A call without results; nothing is left of a comment alone.
      return Self.bare(text).isEmpty ? "" : Self.bare(text) + "\n"
    }
    let own = "_\(entry.number)"
    let isNamed = Self.isNamed(entry, later)
    let isLast = isLastResult(later)
    if entry.expected.count > 1, !isNamed, !isLast {
      let list = entry.expected.map { hidden($0).source }.joined(separator: ", ")
      return "expect.same(table.pack(\(expression)), { n = \(entry.expected.count), \(list) })\n"
    }
    guard isNamed || isLast else { return check(expression, first) }
    return "local \(own) <const> = \(expression)\n" + (isLast ? "local _ = \(own)\n" : "")
      + check(own, first)
  }

  private func check(_ value: String, _ seen: SessionEntry.Expected) -> String {
    let expected = hidden(seen)
    return expected.source == "nil"
      ? "expect.isNil(\(value))\n"
      : "expect.\(expected.isExact ? "equal" : "same")(\(value), \(expected.source))\n"
  }

  /// The expectation, but any value if it contains a secret that has become known since.
  private func hidden(_ expected: SessionEntry.Expected) -> SessionEntry.Expected {
    guard clean(expected.source) != expected.source else { return expected }
    return SessionEntry.Expected(source: "expect.any.value", isExact: false)
  }

  /// Whether a later entry uses the result by its number.
  static func isNamed(_ entry: SessionEntry, _ later: ArraySlice<SessionEntry>) -> Bool {
    later.contains { mentioned($0.text).contains("_\(entry.number)") }
  }

  /// Whether a later entry uses the result as `_`.
  private func isLastResult(_ later: ArraySlice<SessionEntry>) -> Bool {
    for entry in later {
      if Self.mentioned(entry.text).contains("_") { return true }
      if !entry.expected.isEmpty { return false }
    }
    return false
  }

  private func failure(_ entry: SessionEntry, _ text: String) -> String {
    let body = entry.isExpression ? "return \(Self.bare(text))" : text
    let call = "function()\n  \(indented(body, first: false))end"
    if let code = entry.code {
      return "local _err = expect.raises(\(quoted(code)), \(call))\n"
    }
    return "local _err = expect.raises(\(call))\n"
  }

  private func withoutSecrets(
    _ entry: SessionEntry, _ secrets: inout [String: String]
  ) -> String {
    Self.withoutSecrets(entry, clean: clean) { content in
      let name = secrets[content] ?? "secret\(secrets.count + 1)"
      secrets[content] = name
      return name
    }
  }

  /// The source of an entry, with each secret replaced by an expression, also within strings.
  ///
  /// - Parameter expression: Returns the replacement for a string literal, given as in the source.
  static func withoutSecrets(
    _ entry: SessionEntry, clean: (String) -> String, _ expression: (String) -> String
  ) -> String {
    let (literals, found) = secrets(of: entry, clean: clean)
    let pieces = Dictionary(
      uniqueKeysWithValues: found.compactMap { index in
        literals.pieces(index, clean: clean).map { (literals.tokens[index].range.lowerBound, $0) }
      })
    return literals.replacing(found) { token in
      let content = literals.text(token)
      guard let pieces = pieces[token.range.lowerBound], let quote = content.first else {
        return expression(content)
      }
      let list = pieces.map { piece in
        let literal = "\(quote)\(piece.text)\(quote)"
        return piece.isSecret ? expression(literal) : literal
      }
      return "(\(list.joined(separator: " .. ")))"
    }
  }

  /// The source of an entry and the token indices of its secrets.
  static func secrets(
    of entry: SessionEntry, clean: (String) -> String
  ) -> (source: SourceSecrets, places: [Int]) {
    let source = SourceSecrets(SourceSecrets(entry.text).cleaningComments(by: clean))
    let places = source.secrets(clean: clean, isWhole: true)
    // A password that the backend refused as too short is not a secret, and the error depends on it.
    guard entry.code == "weakPassword" else { return (source, places) }
    return (source, places.filter { source.text(source.tokens[$0]).utf8.count >= 8 })
  }

  // MARK: Words

  /// All names in a source text.
  static func mentioned(_ text: String) -> Set<String> {
    Set(LuaLexer.tokens(of: text).lazy.filter { $0.kind == .name }.map(\.word))
  }

  /// The text without trailing white space, comments and semicolons.
  static func bare(_ text: String) -> String {
    guard let last = LuaLexer.tokens(of: text).last(where: { $0.kind != .comment }) else {
      return ""
    }
    let bytes = Array(text.utf8)[..<last.range.upperBound]
    var bare = String(decoding: bytes, as: UTF8.self).trimmed
    // At the prompt an expression may end with a semicolon.
    while bare.hasSuffix(";") { bare = String(bare.dropLast()).trimmed }
    return bare
  }

  /// Indents lines by two blanks, except those inside strings and comments of several lines.
  private func indented(_ text: String, first: Bool = true) -> String {
    Self.indented(text, by: "  ", first: first)
  }

  static func indented(_ text: String, by margin: String, first: Bool = true) -> String {
    let inside = Self.linesInsideTexts(text)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { index, line in
      let stays = line.isEmpty || inside.contains(index) || index == 0 && !first
      return stays ? String(line) : margin + line
    }.joined(separator: "\n") + (first || text.hasSuffix("\n") ? "" : "\n")
  }

  /// The lines that begin inside a string or comment, where blanks would change it.
  private static func linesInsideTexts(_ text: String) -> Set<Int> {
    let bytes = Array(text.utf8)
    var lines: Set<Int> = []
    for token in LuaLexer.tokens(of: text) where token.kind == .string || token.kind == .comment {
      let first = bytes[..<token.range.lowerBound].count { $0 == 0x0A }
      let count = bytes[token.range].count { $0 == 0x0A }
      if count > 0 { lines.formUnion(first + 1...first + count) }
    }
    return lines
  }

  private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

struct SessionEntry: Equatable {
  /// An expectation that an observed value meets.
  struct Expected: Equatable {
    let source: String
    /// Whether it is the exact value or only its shape.
    let isExact: Bool
  }

  let number: Int
  let text: String
  /// The path of the file that the entry is from; nil when it was typed.
  var file: String?
  let isExpression: Bool
  var isGood = false
  /// The code of the error that it raised.
  var code: String?
  var expected: [Expected] = []
}
