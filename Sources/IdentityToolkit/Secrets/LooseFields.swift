public import System

/// Finds values under secret names in a text of any format.
///
/// It recognizes `name=value`, `"name": value` and `<name>value</name>`, complete or cut, and nested.
public struct LooseFields {
  /// The kind of text: the less machine-readable it is, the more a value must look like a secret.
  public enum Reading {
    /// The body of a request or response.
    case body
    /// Output of scripts, and messages: `password: wrong` and `code = "userNotFound"` stay.
    case words
  }

  private var fields: [(name: String, value: Range<Int>)] = []
  let bytes: [UInt8]
  let reading: Reading

  private static let longestName = 64
  /// The maximum length of a word or XML tag, which limits repeated scans of the text.
  static let longestWord = 200
  private static let ends = Set<UInt8>(" \t\r\n&,;\"'<>{}[]()\\|".utf8)
  private static let schemes: Set<String> = ["bearer", "basic", "digest", "dpop", "token"]

  /// Scans a text.
  public init(_ text: String, as reading: Reading = .body) {
    self.reading = reading
    bytes = Array(text.utf8)
    guard Self.mayHoldFields(bytes) else { return }
    var position = 0
    while position < bytes.count { position = read(at: position) }
  }

  /// Adds the fields that begin at a position, and returns where to continue.
  private mutating func read(at position: Int) -> Int {
    guard Self.isName(bytes[position]) else {
      if let found = input(at: position) {
        fields.append(found)
        return found.value.upperBound
      }
      guard let password = passwordOfAddress(at: position) else { return position + 1 }
      fields.append(("password", password))
      return password.upperBound
    }
    // The encoded brackets of `user%5Bpassword%5D` are not part of a name.
    if position > 0, bytes[position - 1] == UInt8(ascii: "%"), isEncodedBracket(position) {
      return position + 2
    }
    let end = end(from: position) { Self.isName($0) }
    guard end - position <= Self.longestName else { return end }
    let found = special(position..<end)
    if let last = found.last {
      fields += found
      return last.value.upperBound
    }
    guard let value = value(behind: position..<end) else { return end }
    fields.append((text(position..<end), value))
    return value.upperBound
  }

  /// The found fields, in order.
  public var pairs: [(name: String, value: String)] {
    fields.map { ($0.name, text($0.value)) }
  }

  /// The found fields with their positions, for `SecretMasker.clean`.
  public var secrets: [SecretMasker.Field] {
    fields.map { ($0.value, text($0.value), SecretNames.kind(of: $0.name)) }
  }

  /// The values that are certain and unusual enough to be masked elsewhere, too.
  public var unusual: [(value: String, kind: SecretKind)] {
    pairs.filter { name, value in
      SecretNames.isSecret(value, under: name) && SecretNames.looksRandom(value)
        && !value.utf8.contains(where: Self.isSpace)
        && (!SecretNames.isVague(name) || value.utf8.count >= Self.shortestUnderVagueName)
    }.map { ($0.value, SecretNames.kind(of: $0.name)) }
  }

  private static let shortestUnderVagueName = 12

  /// Replaces each value by a mask.
  public static func masking(_ text: String, by mask: String, as reading: Reading = .body) -> String
  {
    SecretMasker(findsTokens: false)
      .clean(text, mask: mask, fields: LooseFields(text, as: reading).secrets)
  }

  /// Returns the value of a name, if the name is a secret one.
  private func value(behind name: Range<Int>) -> Range<Int>? {
    guard isMarked(name) else { return nil }
    // `user.password` and `wsse:Password` arrive here as separate names; the last one counts.
    guard SecretNames.holdSecrets(String(decoding: bytes[name], as: UTF8.self)) else { return nil }
    guard let value = element(name) ?? field(name) else { return nil }
    let isWord = reading != .body && SecretNames.isVague(text(name)) && !looksMade(value)
    return isWord ? nil : value
  }

  // MARK: URLs

  /// Returns the range of the password in `scheme://user:password@host`, given the position of `://`.
  private func passwordOfAddress(at position: Int) -> Range<Int>? {
    guard bytes[position] == UInt8(ascii: ":"), byte(position + 1) == 0x2F,
      byte(position + 2) == 0x2F, position > 0, Self.isName(bytes[position - 1])
    else { return nil }
    let start = position + 3
    let host = bytes[start...].prefix(Self.longestWord).prefix {
      !"/?#\"'<>`\\".utf8.contains($0) && $0 > 0x20
    }
    guard let at = host.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    // There may also be a token without a user name.
    let colon = host[..<at].firstIndex(of: UInt8(ascii: ":"))
    guard let colon else { return looksMade(start..<at) ? start..<at : nil }
    return nonEmpty(colon + 1..<at)
  }

  /// Whether `5B` or `5D` is at a position.
  private func isEncodedBracket(_ position: Int) -> Bool {
    byte(position) == UInt8(ascii: "5") && byte(position + 1).map(Self.isBracketDigit) ?? false
  }

  private static func isBracketDigit(_ byte: UInt8) -> Bool {
    byte | 0x20 == UInt8(ascii: "b") || byte | 0x20 == UInt8(ascii: "d")
  }

  /// Returns the end of a name with its keys: `[new]` of `password[new]`, `%5D` of `user%5Bpassword%5D`.
  private func endOfKeys(from start: Int) -> Int {
    var position = start
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "%"), isEncodedBracket(position + 1) {
        position = end(from: position + 3, while: Self.isName)
      } else if bytes[position] == UInt8(ascii: "["),
        byte(end(from: position + 1, while: Self.isName)) == UInt8(ascii: "]")
      {
        position = end(from: position + 1, while: Self.isName) + 1
      } else {
        return position
      }
    }
    return position
  }

  /// Whether a value is not a readable word, such as an error code would be.
  func looksMade(_ value: Range<Int>) -> Bool {
    value.count > Self.longestWord
      || value.count >= 6 && bytes[value].contains { $0.isDigit }
  }

  /// Whether a value may follow a name; the neighboring bytes rule that out for most words.
  private func isMarked(_ name: Range<Int>) -> Bool {
    if name.lowerBound > 0, [0x3A, 0x3C].contains(bytes[name.lowerBound - 1]) { return true }
    let next = end(from: endOfKeys(from: name.upperBound)) {
      Self.isQuote($0) || $0 == 0x5C || $0 == 0x5D || Self.isSpace($0)
    }
    return byte(next) == UInt8(ascii: "=") || byte(next) == UInt8(ascii: ":")
  }

  /// Returns the content of an XML element.
  private func element(_ name: Range<Int>) -> Range<Int>? {
    let prefix = bytes[..<name.lowerBound].suffix(Self.longestName)
    let before = prefix.last { !Self.isName($0) && $0 != UInt8(ascii: ":") }
    guard before == UInt8(ascii: "<"), let close = find(UInt8(ascii: ">"), from: name.upperBound),
      bytes[close - 1] != UInt8(ascii: "/")
    else { return nil }
    let end = end(from: close + 1) { $0 != UInt8(ascii: "<") }
    // Command descriptions contain `<email> <password> and more`.
    guard reading == .body || byte(end + 1) == UInt8(ascii: "/") else { return nil }
    return nonEmpty(close + 1..<end)
  }

  private func field(_ name: Range<Int>) -> Range<Int>? {
    let keys = endOfKeys(from: name.upperBound)
    var position = end(from: keys) { Self.isQuote($0) || $0 == 0x5C || $0 == 0x5D }
    position = end(from: position, while: Self.isSpace)
    guard let mark = byte(position), mark == UInt8(ascii: "=") || mark == UInt8(ascii: ":"),
      byte(position + 1) != UInt8(ascii: "/") || mark == UInt8(ascii: "=")
    else { return nil }
    let behindMark = position + 1
    // `WEAK_PASSWORD : Password should be…` is an error code of the backend with its message.
    let isCode = bytes[name].allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F }
    if isCode, mark == UInt8(ascii: ":"), position == name.upperBound + 1 { return nil }
    position = end(from: position + 1, while: Self.isSpace)
    let quote = end(from: position) { $0 == 0x5C }
    if let open = byte(quote), Self.isQuote(open) {
      let value = withoutScheme(
        quote + 1..<closing(open, from: quote + 1, escapes: quote - position))
      // Such as `unknown assertion: 'is_even'`.
      let isWord = reading == .words && mark == UInt8(ascii: ":") && isWord(value, under: name)
      return isWord ? nil : nonEmpty(value)
    }
    // `==` is a comparison, not a field.
    guard reading == .body || byte(position) != UInt8(ascii: "=") else {
      return nil
    }
    var value = word(from: position)
    // A test for presence is not a field either.
    if reading == .words, ["true", "false", "nil", "null"].contains(text(value)) { return nil }
    if Self.schemes.contains(text(value).lowercased()), byte(value.upperBound) == 0x20 {
      value = word(from: value.upperBound + 1)
    }
    if reading == .words, SecretNames.isVariable(text(value), under: text(name)) || isCall(value) {
      return nil
    }
    guard mark == UInt8(ascii: ":") else { return nonEmpty(value) }
    // Such as `WEAK_PASSWORD : Password should be at least …`.
    if reading == .words, !looksMade(value) { return nil }
    // `ticket: JIRA-1` and `session: 5c1a…` are normal prose.
    if reading == .words, value.lowerBound > behindMark, SecretNames.isAnyWord(text(name)) {
      return nil
    }
    // `state: waiting` and `"code": 400` are parts of a message, `state=waiting` is a field.
    return isWord(value, under: name) ? nil : nonEmpty(value)
  }

  /// Whether a value is a call in source: `user:getIDToken(true)`.
  private func isCall(_ value: Range<Int>) -> Bool {
    guard byte(value.upperBound) == UInt8(ascii: "(") else { return false }
    let parts = text(value).split(omittingEmptySubsequences: false) { ".:".contains($0) }
    return parts.count > 1 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isLetter) }
  }

  /// Whether the value is an ordinary word under a name that is only sometimes secret.
  private func isWord(_ value: Range<Int>, under name: Range<Int>) -> Bool {
    SecretNames.isVague(text(name)) && !SecretNames.isSecret(text(value), under: text(name))
  }

  func closing(_ quote: UInt8, from start: Int, escapes: Int) -> Int {
    var slashes = 0
    for position in start..<max(start, bytes.count) {
      if bytes[position] == 0x5C {
        slashes += 1
      } else if bytes[position] == quote, slashes <= escapes {
        return position - slashes
      } else {
        slashes = 0
      }
    }
    return bytes.count
  }

  func word(from start: Int) -> Range<Int> {
    start..<end(from: start) { !Self.ends.contains($0) }
  }

  /// Returns the value of an `Authorization` header without the word before it.
  func withoutScheme(_ value: Range<Int>) -> Range<Int> {
    let end = bytes[value].firstIndex(of: 0x20) ?? value.lowerBound
    let isScheme = Self.schemes.contains(text(value.lowerBound..<end).lowercased())
    return isScheme ? end + 1..<value.upperBound : value
  }

  func nonEmpty(_ range: Range<Int>) -> Range<Int>? {
    // An existing mask, whose brackets ended the word.
    let isBlank = bytes[range].allSatisfy(Self.isSpace)
    return isBlank || SecretLabels.isLabel(text(range)) ? nil : range
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func byte(_ position: Int) -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private func find(_ byte: UInt8, from start: Int) -> Int? {
    bytes[start...].prefix(Self.longestWord).firstIndex(of: byte)
  }

  func end(from start: Int, while matches: (UInt8) -> Bool) -> Int {
    var position = start
    while position < bytes.count, matches(bytes[position]) { position += 1 }
    return position
  }

  static func isName(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
