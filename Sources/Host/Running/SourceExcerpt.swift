import Lua
import System

/// What a name in an error message is in the source.
public enum NameRole: Sendable {
  /// A function that was called.
  case call
  /// A name behind a colon.
  case method
  /// A name behind a dot.
  case field
  /// A local or global variable.
  case variable
}

/// One line of a file with a caret under the cause of an error.
public struct SourceExcerpt {
  /// A name, keyword or symbol of the line.
  private struct Word {
    let text: String
    /// Its position in the shown line, in characters from 0.
    let start: Int
    /// The word before it, also of an earlier line.
    let previous: String
    /// Whether a call's arguments follow.
    let isCalled: Bool

    func fits(_ role: NameRole) -> Bool {
      switch role {
      case .call: isCalled
      case .method: previous == ":"
      case .field: previous == "."
      case .variable: previous != ":" && previous != "."
      }
    }
  }

  /// Its number, from 1.
  public let number: Int
  /// The line, without secrets.
  public let line: String
  /// The words of its code: not those in texts and comments.
  private let words: [Word]
  /// Where comments begin, in characters.
  private let codeEnd: Int

  /// Takes the line of this number, from 1; nil when the source has no such line.
  public init?(_ number: Int, of source: ShownSource) {
    guard source.lines.indices.contains(number - 1) else { return nil }
    let text = source.lines[number - 1]
    self.number = number
    line = Self.shown(text)
    // The whole source is read, as a text or comment may begin on an earlier line.
    let start = source.lines.prefix(number - 1).reduce(0) { $0 + $1.utf8.count + 1 }
    let end = start + text.utf8.count
    let tokens = LuaLexer.tokens(of: source.lines.prefix(number + 1).joined(separator: "\n"))
    func column(_ token: LuaToken) -> Int {
      Self.shown(String(decoding: text.utf8.prefix(token.range.lowerBound - start), as: UTF8.self))
        .count
    }
    let code = tokens.filter { $0.kind != .comment }
    words = code.indices.compactMap { index in
      let token = code[index]
      guard (start..<end).contains(token.range.lowerBound), !token.word.isEmpty else { return nil }
      let next = index + 1 < code.count ? code[index + 1] : nil
      return Word(
        text: token.word, start: column(token), previous: index > 0 ? code[index - 1].word : "",
        isCalled: next.map { $0.kind == .string || $0.is("(") || $0.is("{") } ?? false)
    }
    let comment = tokens.first {
      $0.kind == .comment && $0.range.upperBound >= end && $0.range.lowerBound < end
    }
    codeEnd = comment.map { $0.range.lowerBound < start ? 0 : column($0) } ?? line.count
  }

  /// Takes the line of an error; nil when there is none to show.
  ///
  /// For an error at the end of the file it is the line of the unclosed block, or else the last non-blank line.
  public init?(_ number: Int, of source: ShownSource, for failure: ScriptFailure) {
    if let excerpt = SourceExcerpt(number, of: source), !excerpt.isBlank {
      self = excerpt
    } else if let opened = failure.message.firstMatch(of: /at line (\d+)/),
      let number = Int(opened.output.1)
    {
      self.init(number, of: source)
    } else {
      let lines = stride(from: number - 1, to: 0, by: -1).lazy
      guard
        let last = lines.compactMap({ SourceExcerpt($0, of: source) }).first(where: { !$0.isBlank })
      else { return nil }
      self = last
    }
  }

  /// The beginning of a line as a terminal shows it.
  private static func shown(_ text: String) -> String {
    var text = text
    // The source was split at `\n`, so a line break `\r\n` leaves a `\r`.
    if text.last == "\r" { text.removeLast() }
    return String(text.prefix(200).map { $0 == "\t" ? " " : $0 }).printable
  }

  /// Whether the line is blank, as after the end of a file.
  public var isBlank: Bool { line.allSatisfy { $0 == " " } }

  /// The line and the caret line; Lua reports no columns, so the caret marks a name in the line.
  ///
  /// - Parameters:
  ///   - role: What the name is; nil if that is unknown.
  ///   - column: About where the name is, in bytes; nil for its last place, as calls nest to the left.
  public func text(
    marking name: String?, as role: NameRole? = nil, near column: Int? = nil
  ) -> String {
    let place = name.flatMap { name in
      if let column { return range(of: name, near: column) }
      // The name of a call is never in a text; another one may be, as in `no provider 'x'`.
      return word(name, role) ?? (role == .call ? nil : range(of: name, near: codeEnd))
    }
    let (start, width) = place ?? code
    let margin = String(repeating: " ", count: String(number).count)
    let caret = String(repeating: " ", count: start) + String(repeating: "^", count: width)
    return "  \(number) | \(line)\n  \(margin) | \(caret)\n"
  }

  /// The line without the blanks around it.
  private var code: (start: Int, width: Int) {
    let code = line.drop { $0 == " " }
    let end = code.lastIndex { $0 != " " }.map { code.index(after: $0) } ?? code.endIndex
    return (line.count - code.count, max(1, code[..<end].count))
  }

  /// The last place of the name in the code, of several in the role if one has it.
  private func word(_ name: String, _ role: NameRole?) -> (start: Int, width: Int)? {
    let all = words.filter { $0.text == name && $0.start < line.count }
    let fitting = role.map { role in all.filter { $0.fits(role) } } ?? []
    return (fitting.last ?? all.last).map { ($0.start, name.count) }
  }

  /// The position of the name as a whole word that is nearest to a column, before comments if it is there.
  private func range(of name: String, near column: Int) -> (start: Int, width: Int)? {
    let line = Array(line)
    let name = Array(name)
    guard !name.isEmpty, name.count <= line.count else { return nil }
    func isPart(_ index: Int) -> Bool {
      line.indices.contains(index)
        && (line[index].isLetter || line[index].isNumber || line[index] == "_")
    }
    let isWord = name[0].isLetter || name[0] == "_"
    let places = (0...line.count - name.count).filter { start in
      start < codeEnd && line[start..<(start + name.count)].elementsEqual(name)
        && !(isWord && (isPart(start - 1) || isPart(start + name.count)))
    }
    return places.min { abs($0 - column) < abs($1 - column) }.map { ($0, name.count) }
  }
}
