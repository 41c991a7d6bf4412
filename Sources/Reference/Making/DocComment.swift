/// A comment in LuaLS's notation and the Lua code that it documents.
struct DocComment {
  enum Target: Equatable {
    case nothing
    /// `function owner.name(…)`, with the names of its parameters.
    case function(owner: String, name: String, isMethod: Bool, arguments: [String])
    /// `owner.name = …`
    case field(owner: String, name: String)
  }

  var summary = ""
  /// The rest, in paragraphs.
  var text = ""
  /// The lines indented as code.
  var code = ""
  /// `@param name type words`; `a.b` is the field `b` of the parameter `a`.
  var parameters: [DocTag] = []
  /// `@return type name words`.
  var results: [DocTag] = []
  /// `@error code words`, an extension of luath.
  var errors: [DocTag] = []
  /// `@overload type`: other forms of the function, for editors.
  var overloads: [String] = []
  /// `@class name`.
  var className: String?
  /// `@field name type words`.
  var fields: [DocTag] = []
  /// `@async`.
  var isAsync = false
  var target = Target.nothing
  /// Whether the comment documents another statement, such as a local function.
  var isOverStatement = false
  /// The body of the documented function, without indentation.
  var body = ""
}

/// A line of a comment that begins with `@`.
struct DocTag {
  var name: String
  var type: String
  var isOptional: Bool
  var words: String
}

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
    case "overload": overloads.append(String(rest))
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

/// Finds the `---` comments of Lua source and the code after each.
///
/// It does not parse Lua: it goes by lines and relies on the formatting of luath's sources. A function ends
/// at the first unindented line that begins with `end`.
struct DocReader {
  private(set) var comments: [DocComment] = []
  /// The other unindented statements, each with the local names it declares.
  private(set) var statements: [(names: [String], text: String)] = []

  init(_ source: String) {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var at = 0
    while at < lines.count {
      let line = lines[at]
      if line.hasPrefix("---") {
        let end = lines[at...].firstIndex { !$0.hasPrefix("---") } ?? lines.count
        var comment = DocComment(reading: lines[at..<end].map { String($0.dropFirst(3)) })
        let start = at
        at = end
        if at < lines.count, !lines[at].isEmpty {
          comment.target = Self.target(lines[at])
          let stop = Self.end(of: at, lines)
          if case .function = comment.target { comment.body = Self.body(lines[at..<stop]) }
          if comment.target == .nothing {
            comment.isOverStatement = true
            statements.append(
              (Self.names(lines[at]), lines[start..<stop].joined(separator: "\n")))
          }
          at = stop
        }
        comments.append(comment)
      } else if line.isEmpty || line.hasPrefix("--") {
        at += 1
      } else if case let target = Self.target(line), target != .nothing {
        let stop = Self.end(of: at, lines)
        var comment = DocComment()
        comment.target = target
        if case .function = target { comment.body = Self.body(lines[at..<stop]) }
        comments.append(comment)
        at = stop
      } else {
        let stop = Self.end(of: at, lines)
        statements.append((Self.names(line), lines[at..<stop].joined(separator: "\n")))
        at = stop
      }
    }
  }

  /// The line after the statement that begins at `start`; indented lines belong to the statement.
  private static func end(of start: Int, _ lines: [String]) -> Int {
    let isOneLine = lines[start].hasSuffix(" end")
    var at = start + 1
    guard !isOneLine else { return at }
    while at < lines.count {
      let line = lines[at]
      if line.hasPrefix(" ") || (line.isEmpty && isIndented(lines, after: at)) {
        at += 1
      } else if line.hasPrefix("end") || line.hasPrefix("}") || line.hasPrefix(")")
        || line.hasPrefix("]]")
      {
        return at + 1
      } else {
        return at
      }
    }
    return at
  }

  private static func isIndented(_ lines: [String], after at: Int) -> Bool {
    guard let next = lines[at...].first(where: { !$0.isEmpty }) else { return false }
    return next.hasPrefix(" ")
  }

  /// The declaration in a line: `function a.b(c)`, `function A:b(c)` or `a.b = …`.
  static func target(_ line: String) -> DocComment.Target {
    if line.hasPrefix("function ") {
      let rest = line.dropFirst(9)
      guard let open = rest.firstIndex(of: "("), let close = rest.firstIndex(of: ")") else {
        return .nothing
      }
      let path = String(rest[..<open])
      let arguments = rest[rest.index(after: open)..<close].split(separator: ",")
        .map { $0.trimmed }
      if let colon = path.firstIndex(of: ":") {
        return .function(
          owner: String(path[..<colon]), name: String(path[path.index(after: colon)...]),
          isMethod: true, arguments: arguments)
      }
      guard let dot = path.firstIndex(of: ".") else { return .nothing }
      return .function(
        owner: String(path[..<dot]), name: String(path[path.index(after: dot)...]),
        isMethod: false, arguments: arguments)
    }
    let path = line.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    guard line.dropFirst(path.count).hasPrefix(" = "), let dot = path.firstIndex(of: ".") else {
      return .nothing
    }
    return .field(owner: String(path[..<dot]), name: String(path[path.index(after: dot)...]))
  }

  private static func body(_ lines: ArraySlice<String>) -> String {
    guard lines.count > 2 else { return "" }
    return lines.dropFirst().dropLast()
      .map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0 }.joined(separator: "\n")
  }

  /// The names that a statement declares: `local a <const>, b = …`, `local function f()`.
  private static func names(_ line: String) -> [String] {
    guard line.hasPrefix("local ") else { return [] }
    var rest = line.dropFirst(6)
    if rest.hasPrefix("function ") {
      return [String(rest.dropFirst(9).prefix { $0.isLetter || $0.isNumber })]
    }
    rest = rest.prefix { $0 != "=" }
    return rest.split(separator: ",").map { name in
      String(name.trimmed.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
  }
}

extension StringProtocol {
  var trimmed: String {
    var rest = self[...]
    while rest.first == " " { rest = rest.dropFirst() }
    while rest.last == " " { rest = rest.dropLast() }
    return String(rest)
  }
}
