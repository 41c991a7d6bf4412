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
