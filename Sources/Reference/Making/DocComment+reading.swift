extension DocComment {
  /// Parses the lines of a comment, without their leading hyphens.
  init(reading lines: [String]) {
    var paragraphs: [[String]] = [[]]
    var codeLines: [String] = []
    var last: WritableKeyPath<DocComment, [DocTag]>?
    for line in lines {
      if line.hasPrefix("@") {
        last = read(tag: line.dropFirst())
      } else if line.trimmed.isEmpty {
        last = nil
        if !codeLines.isEmpty { codeLines.append("") }
        if paragraphs.last?.isEmpty == false { paragraphs.append([]) }
      } else if let last, !self[keyPath: last].isEmpty {
        // A continuation line of the last tag.
        self[keyPath: last][self[keyPath: last].count - 1].words += " " + line.trimmed
      } else if line.hasPrefix("     ") {
        codeLines.append(String(line.dropFirst(5)))
      } else {
        paragraphs[paragraphs.count - 1].append(line.trimmed)
      }
    }
    while codeLines.last?.isEmpty == true { codeLines.removeLast() }
    code = codeLines.joined(separator: "\n")
    let texts = paragraphs.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
    guard let first = texts.first else { return }
    summary = Self.sentence(first)
    let rest = first.dropFirst(summary.count).trimmed
    text = ((rest.isEmpty ? [] : [rest]) + texts.dropFirst()).joined(separator: "\n\n")
  }

  /// The text up to the first full stop before a capital letter.
  private static func sentence(_ text: String) -> String {
    var at = text.startIndex
    while let stop = text[at...].firstIndex(of: ".") {
      let after = text[text.index(after: stop)...]
      if after.isEmpty { return text }
      if after.first == " ", after.dropFirst().first?.isUppercase == true {
        return String(text[...stop])
      }
      at = text.index(after: stop)
    }
    return text
  }

  /// Parses a line that begins with `@`; returns the list whose last tag the next lines may continue.
  private mutating func read(tag line: Substring) -> WritableKeyPath<DocComment, [DocTag]>? {
    let word = line.prefix { $0 != " " }
    var rest = line.dropFirst(word.count).trimmed[...]
    switch word {
    case "param", "field":
      let name = rest.prefix { $0 != " " }
      rest = rest.dropFirst(name.count).trimmed[...]
      let type = Self.type(rest)
      let tag = DocTag(
        name: String(name.hasSuffix("?") ? name.dropLast() : name), type: type,
        isOptional: name.hasSuffix("?"), words: rest.dropFirst(type.count).trimmed)
      if word == "param" { parameters.append(tag) } else { fields.append(tag) }
      return word == "param" ? \.parameters : \.fields
    case "return":
      let type = Self.type(rest)
      rest = rest.dropFirst(type.count).trimmed[...]
      let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      results.append(
        DocTag(
          name: String(name), type: type, isOptional: false,
          words: rest.dropFirst(name.count).trimmed))
      return \.results
    case "error":
      let name = rest.prefix { $0 != " " }
      errors.append(
        DocTag(
          name: String(name), type: "", isOptional: false,
          words: rest.dropFirst(name.count).trimmed))
      return \.errors
    case "class": className = String(rest.prefix { $0 != " " && $0 != ":" })
    case "async": isAsync = true
    default: break
    }
    return nil
  }

  /// The type at the start of a text; it ends at a blank outside of brackets, except after `:` or `|`.
  static func type(_ text: Substring) -> String {
    var depth = 0
    var before: Character = " "
    var end = text.startIndex
    for at in text.indices {
      let character = text[at]
      if "([{<".contains(character) { depth += 1 }
      if ")]}>".contains(character) { depth -= 1 }
      // A function type may have several results.
      let isJoined = ":|".contains(before) || before == "," && text.hasPrefix("fun(")
      if character == " ", depth <= 0, !isJoined {
        return String(text[..<at])
      }
      if character != " " { before = character }
      end = text.index(after: at)
    }
    return String(text[..<end])
  }
}
