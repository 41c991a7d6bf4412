internal import System

/// Fills in the templates of messages, and turns HTML into plain text.
enum MessageText {
  /// Replaces placeholders such as `%LINK%`; unknown ones stay.
  ///
  /// A blank before an empty value goes with it, so that an account without a name is greeted "Hello,". Values are
  /// not searched for further placeholders.
  static func fill(
    _ template: String, _ values: [String: String], escaping escape: (String) -> String = { $0 }
  ) -> String {
    var filled = ""
    var rest = template[...]
    while let start = rest.firstIndex(of: "%") {
      filled += rest[..<start]
      rest = rest[rest.index(after: start)...]
      guard let end = rest.firstIndex(of: "%"), let value = values[String(rest[..<end])] else {
        filled += "%"
        continue
      }
      if value.isEmpty, filled.last == " " { filled.removeLast() }
      filled += escape(value)
      rest = rest[rest.index(after: end)...]
    }
    return filled + rest
  }

  /// The text of an HTML body: paragraphs are separated by blank lines, and links show their addresses.
  static func plain(_ html: String) -> String {
    var reader = HTMLText(html)
    return reader.read()
  }
}

/// Reads the text of an HTML body.
///
/// It is made for templates of e-mails: it knows the elements that break lines, and ignores all others.
private struct HTMLText {
  private static let paragraphs: Set<String> = [
    "address", "article", "blockquote", "div", "dl", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hr", "main", "ol", "p", "pre", "section", "table", "ul",
  ]
  private static let lines: Set<String> = ["br", "dd", "dt", "li", "tr"]
  private static let hidden: Set<String> = ["head", "script", "style", "template", "title"]
  private static let entities: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "copy": "©",
    "rsquo": "’", "lsquo": "‘", "rdquo": "”", "ldquo": "“", "ndash": "–", "mdash": "—",
    "hellip": "…",
  ]

  private var rest: Substring
  private var text = ""
  /// The address of the open link, and where its label begins.
  private var link: (address: String, start: Int)?

  init(_ html: String) { rest = html[...] }

  mutating func read() -> String {
    while let character = rest.first {
      switch character {
      case "<" where isTag: readTag()
      case "&":
        rest.removeFirst()
        let decoded = readEntity()
        text += decoded
      default:
        rest.removeFirst()
        if !character.isWhitespace {
          text.append(character)
        } else if let last = text.last, !last.isWhitespace {
          text += " "
        }
      }
    }
    return Self.trimmed(text[...])
  }

  /// Whether a tag or a comment begins here, and not a lone `<`.
  private var isTag: Bool {
    guard let next = rest.dropFirst().first else { return false }
    return next.isLetter || next == "/" || next == "!"
  }

  private mutating func readTag() {
    if rest.hasPrefix("<!--") {
      rest = rest.ranges(of: "-->").first.map { rest[$0.upperBound...] } ?? ""
      return
    }
    let tag = takeTag()
    let isEnd = tag.first == "/"
    let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }).lowercased()
    if Self.hidden.contains(name), !isEnd {
      skip(to: name)
      return
    }
    if name == "a" { isEnd ? endLink() : beginLink(tag) }
    if Self.paragraphs.contains(name) {
      breakLine("\n\n")
    } else if Self.lines.contains(name), !isEnd {
      breakLine("\n")
      if name == "li" { text += "- " }
    }
  }

  /// Skips to the end tag of an element whose content is not shown.
  private mutating func skip(to name: String) {
    while let start = rest.firstIndex(of: "<") {
      rest = rest[start...]
      if rest.hasPrefix("</"), rest.dropFirst(2).prefix(name.count).lowercased() == name { return }
      rest.removeFirst()
    }
    rest = ""
  }

  /// Takes a tag without its brackets; a `>` in a quoted value does not end it.
  private mutating func takeTag() -> Substring {
    var quote: Character?
    var end = rest.index(after: rest.startIndex)
    while end < rest.endIndex {
      let character = rest[end]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == ">" {
        break
      }
      end = rest.index(after: end)
    }
    let tag = rest[..<end].dropFirst()
    rest = rest[end...].dropFirst()
    return tag
  }

  private mutating func beginLink(_ tag: Substring) {
    guard let start = tag.ranges(of: "href=").first?.upperBound else { return }
    var value = tag[start...]
    let quote = value.first.flatMap { $0 == "\"" || $0 == "'" ? $0 : nil }
    if quote != nil { value.removeFirst() }
    value = value.prefix { character in
      quote.map { character != $0 } ?? !character.isWhitespace
    }
    link = (MessageText.plain(String(value)), text.count)
  }

  /// Adds the address of a link whose label does not show it.
  private mutating func endLink() {
    guard let (address, start) = link.take(), !address.isEmpty else { return }
    let label = Self.trimmed(text.dropFirst(start))
    if label.isEmpty {
      text += address
    } else if label != address {
      text += " (\(address))"
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(text[first...last])
  }

  private mutating func breakLine(_ end: String) {
    while text.last == " " { text.removeLast() }
    guard !text.isEmpty, !text.hasSuffix("\n\n") else { return }
    text += text.hasSuffix("\n") ? String(end.dropFirst()) : end
  }

  private mutating func readEntity() -> String {
    guard let end = rest.prefix(12).firstIndex(of: ";") else { return "&" }
    let name = rest[..<end]
    let decoded: String?
    if name.hasPrefix("#") {
      let digits = name.dropFirst()
      let number =
        digits.first == "x" || digits.first == "X"
        ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      decoded = number.flatMap(Unicode.Scalar.init).map { String($0) }
    } else {
      decoded = Self.entities[String(name)]
    }
    guard let decoded else { return "&" }
    rest = rest[end...].dropFirst()
    return decoded
  }
}
