public import System

/// Secrets that stand under another name than their own: in fields of HTML, pairs, cookies and after `Bearer`.
extension LooseFields {
  typealias Found = (name: String, value: Range<Int>)

  /// The maximum length of an HTML tag.
  private static let longestTag = 4096

  /// Whether a text has a character that follows the name of a field, or the word `Bearer`.
  static func mayHoldFields(_ bytes: [UInt8]) -> Bool {
    let rest = Array("earer ".utf8)
    return bytes.indices.contains { position in
      switch bytes[position] {
      case 0x3A, 0x3C, 0x3D: true
      case UInt8(ascii: "B"), UInt8(ascii: "b"): bytes[(position + 1)...].starts(with: rest)
      default: false
      }
    }
  }

  /// Returns the secrets of a name that is not their own, in order.
  func special(_ name: Range<Int>) -> [Found] {
    switch name.count {
    case 3...6:
      switch text(name).lowercased() {
      case "bearer": return token(behind: name)
      case "cookie": return cookies(behind: name, isOne: false)
      case "value": return pair(name)
      default: return []
      }
    case 10:
      return text(name).lowercased() == "set-cookie" ? cookies(behind: name, isOne: true) : []
    default: return []
    }
  }

  /// Returns the token of `Bearer …`, wherever it stands.
  private func token(behind name: Range<Int>) -> [Found] {
    guard byte(name.upperBound) == 0x20 else { return [] }
    let value = word(from: name.upperBound + 1)
    return looksMade(value) ? nonEmpty(value).map { [("bearer", $0)] } ?? [] : []
  }

  // MARK: Cookies

  /// Returns the values of `Cookie: a=…; b=…`, or the first one of a `Set-Cookie` header.
  private func cookies(behind name: Range<Int>, isOne: Bool) -> [Found] {
    let mark = end(from: name.upperBound) { Self.isQuote($0) || $0 == 0x5C || Self.isSpace($0) }
    guard byte(mark) == UInt8(ascii: ":") || byte(mark) == UInt8(ascii: "=") else { return [] }
    let start = end(from: mark + 1) { Self.isQuote($0) || $0 == 0x5C || Self.isSpace($0) }
    return cookies(from: start, isOne: isOne)
  }

  private func cookies(from start: Int, isOne: Bool) -> [Found] {
    var found: [Found] = []
    var position = start
    repeat {
      let name = position..<end(from: position) { $0 > 0x20 && !"=;,\"'\\<>".utf8.contains($0) }
      guard !name.isEmpty, byte(name.upperBound) == UInt8(ascii: "=") else { break }
      let first = name.upperBound + 1
      let value = first..<end(from: first) { $0 > 0x20 && !";,\"'\\".utf8.contains($0) }
      // As after other colons, a readable word stays in a message.
      let isSecret = reading == .body || looksMade(value) || SecretNames.holdSecrets(text(name))
      if isSecret, let value = nonEmpty(value) { found.append(("cookie", value)) }
      guard !isOne, byte(value.upperBound) == UInt8(ascii: ";") else { break }
      position = end(from: value.upperBound + 1) { $0 == 0x20 }
    } while position < bytes.count
    return found
  }

  // MARK: Pairs

  /// Returns the value in `"name": "Authorization", "value": "…"`, in either order.
  private func pair(_ name: Range<Int>) -> [Found] {
    guard let value = quoted(behind: name),
      let secret = nameBefore(name.lowerBound) ?? nameBehind(value.upperBound)
    else { return [] }
    if ["cookie", "set-cookie"].contains(secret.lowercased()) {
      return cookies(from: value.lowerBound, isOne: secret.utf8.count > 6)
    }
    let shown = withoutScheme(value)
    let isWord = reading == .words && SecretNames.isVague(secret) && !looksMade(shown)
    return isWord ? [] : nonEmpty(shown).map { [(secret, $0)] } ?? []
  }

  /// Returns the content of the string that is the value of a name.
  private func quoted(behind name: Range<Int>) -> Range<Int>? {
    let mark = end(from: name.upperBound) {
      Self.isQuote($0) || $0 == 0x5C || $0 == UInt8(ascii: "]") || Self.isSpace($0)
    }
    guard byte(mark) == UInt8(ascii: ":") || byte(mark) == UInt8(ascii: "=") else { return nil }
    let start = end(from: mark + 1, while: Self.isSpace)
    let quote = end(from: start) { $0 == 0x5C }
    guard let open = byte(quote), Self.isQuote(open) else { return nil }
    return quote + 1..<closing(open, from: quote + 1, escapes: quote - start)
  }

  private static func isBetween(_ byte: UInt8) -> Bool {
    isQuote(byte) || isSpace(byte) || ",\\[".utf8.contains(byte)
  }

  /// Returns the name of a secret in the field before a position.
  private func nameBefore(_ position: Int) -> String? {
    guard
      let end = bytes[..<position].suffix(Self.longestWord).lastIndex(where: { !Self.isBetween($0) }
      )
    else { return nil }
    let secret = bytes[...end].suffix(Self.longestWord).reversed().prefix(while: Self.isName)
    let start = end + 1 - secret.count
    let before = bytes[..<start].suffix(12).filter { Self.isName($0) || ":=".utf8.contains($0) }
    let field = String(decoding: before, as: UTF8.self).lowercased()
    let isName = ["name:", "name=", "key:", "key="].contains { field.hasSuffix($0) }
    let name = text(start..<end + 1)
    return isName && SecretNames.holdSecrets(name) ? name : nil
  }

  /// Returns the name of a secret in the field behind a position.
  private func nameBehind(_ position: Int) -> String? {
    let start = end(from: position, while: Self.isBetween)
    let field = start..<end(from: start, while: Self.isName)
    guard ["name", "key"].contains(text(field).lowercased()), let value = quoted(behind: field),
      SecretNames.holdSecrets(text(value))
    else { return nil }
    return text(value)
  }

  // MARK: HTML

  /// Returns the value of an HTML field for a password, or of a hidden or secretly named one, at its `<`.
  func input(at position: Int) -> Found? {
    guard bytes[position] == UInt8(ascii: "<"),
      bytes[position...].dropFirst().prefix(5).map({ $0 | 0x20 }) == Array("input".utf8)
    else { return nil }
    let attributes = attributes(from: position + 6)
    guard let value = attributes["value"] else { return nil }
    let names = ["name", "id", "autocomplete"].compactMap { attributes[$0].map(text) }
    let name = names.first { SecretNames.mayHoldSecrets($0) }
    switch attributes["type"].map({ text($0).lowercased() }) {
    case "password"?: return nonEmpty(value).map { ("password", $0) }
    case "hidden"?: return nonEmpty(value).map { (name ?? "hidden", $0) }
    default: return name.flatMap { name in nonEmpty(value).map { (name, $0) } }
    }
  }

  /// Reads attributes up to the end of a tag, which may be in a JSON string.
  private func attributes(from start: Int) -> [String: Range<Int>] {
    var found: [String: Range<Int>] = [:]
    var position = start
    let last = min(bytes.count, start + Self.longestTag)
    while position < last, bytes[position] != UInt8(ascii: ">") {
      let name = position..<end(from: position, while: Self.isName)
      guard !name.isEmpty else {
        position += 1
        continue
      }
      position = name.upperBound
      let mark = end(from: position, while: Self.isSpace)
      guard byte(mark) == UInt8(ascii: "=") else { continue }
      let value = attribute(from: end(from: mark + 1, while: Self.isSpace))
      found[text(name).lowercased()] = value
      position = max(value.upperBound, mark + 1)
      if byte(position).map(Self.isQuote) == true { position += 1 }
    }
    return found
  }

  private func attribute(from start: Int) -> Range<Int> {
    let quote = end(from: start) { $0 == 0x5C }
    guard let open = byte(quote), Self.isQuote(open) else {
      return start..<end(from: start) { !Self.isSpace($0) && $0 != UInt8(ascii: ">") }
    }
    return quote + 1..<closing(open, from: quote + 1, escapes: quote - start)
  }
}

extension SecretMasker {
  /// Replaces each secret in a text: known ones, and values under secret names.
  ///
  /// - Parameter reading: How to find names in the text.
  public func clean(
    _ text: String, as reading: LooseFields.Reading, in style: SecretLabels.Style = .numbered
  ) -> String {
    clean(text, as: style, fields: LooseFields(text, as: reading).secrets)
  }
}
