import Lua
import System

/// Explains code that is written for another language, with the line of luath to write instead.
struct ForeignCode {
  /// What to write in place of code.
  struct Advice {
    /// What Lua has instead, and the line to write if it is certain.
    let hint: String
    /// The code, as written.
    let code: String
    /// Its line, from 1.
    let line: Int
    /// Its position in the line, in bytes from 0.
    let column: Int
  }

  private let bytes: [UInt8]
  private let tokens: [ForeignToken]
  private let comments: [ForeignToken]
  /// The positions of the line breaks.
  private let breaks: [Int]
  private let names: Translation.Names
  /// Whether the source lacks the line that makes `Auth` known.
  private let lacksAuth: Bool

  /// - Parameters:
  ///   - text: The source.
  ///   - functions: The functions and properties that scripts can use.
  ///   - hasAuth: Whether the environment has `Auth`, as at the prompt.
  init(_ text: [UInt8], _ functions: ForeignNames, hasAuth: Bool = false) {
    bytes = text
    breaks = text.indices.filter { text[$0] == 0x0A }
    let all = ForeignToken.tokens(of: text)
    tokens = all.filter { $0.kind != .comment }
    comments = all.filter { $0.kind == .comment }
    var modules: Set<String> = []
    for (index, token) in tokens.enumerated().dropFirst(2)
    where token.is("require") && tokens[index - 1].is("=") {
      modules.insert(tokens[index - 2].text)
    }
    let globals = LuaGlobals(String(decoding: text, as: UTF8.self))
    lacksAuth = !hasAuth && !modules.contains("Auth") && !globals.writes.contains("Auth")
    names = Translation.Names(
      locals: globals.locals, modules: modules,
      waits: functions.waiting.contains,
      listens: { functions.listening.contains($0) || $0.hasSuffix("Listener") },
      isProperty: functions.properties.contains)
  }

  /// The advice for an error of Lua's compiler; nil if nothing foreign is near it.
  func advice(line: Int, message: String) -> Advice? {
    // An unfinished string or block began earlier.
    let begun = message.firstMatch(of: /starting at line (\d+)/).flatMap { Int($0.output.1) }
    let line = begun ?? line
    let isOpen = message.contains("'end' expected")
    return first { mark, number in
      if number == line { return true }
      let isLuaToo = mark.why.contains("elseif")
      return number < line && mark.isEarly && (!isLuaToo || isOpen)
    } ?? first { _, number in number == previous(line) }
  }

  /// The advice for a global that nothing defines, at its position.
  func advice(at position: Int) -> Advice? {
    if let comment = comments.first(where: { $0.range.contains(position) }) {
      return advice(comment)
    }
    for statement in statements {
      let range =
        tokens[statement.tokens.lowerBound].range
        .lowerBound..<tokens[statement.tokens.upperBound - 1].range.upperBound
      guard range.contains(position) else { continue }
      if statement.text == nil, let mark = statement.marks.first(where: \.isNeedless) {
        return advice(mark.why, nil, mark.token)
      }
      guard let text = statement.text else { return nil }
      let mark = statement.marks.first
      guard mark != nil || statement.isChanged else { return nil }
      let token =
        mark?.token ?? tokens.first { $0.range.contains(position) }
        ?? tokens[statement.tokens.lowerBound]
      return advice(mark.map { "\($0.why); " } ?? "", text, token)
    }
    return nil
  }

  /// The advice for the first place of a global that nothing defines.
  func advice(forGlobal name: String) -> Advice? {
    let place = tokens.first { $0.kind == .name && $0.text == name }
    return place.flatMap { advice(at: $0.range.lowerBound) }
  }

  // MARK: Statements

  private struct Statement {
    let tokens: Range<Int>
    let text: String?
    let marks: [Translation.Mark]
    let isChanged: Bool
  }

  private var statements: some Sequence<Statement> {
    sequence(state: 0) { (at: inout Int) -> Statement? in
      guard at < tokens.count else { return nil }
      var translation = Translation(tokens, at: at, names: names)
      let text = try? translation.line()
      let start = at
      at = max(text == nil ? 0 : translation.at, at + 1)
      while at < tokens.count, !tokens[at].startsLine { at += 1 }
      return Statement(
        tokens: start..<at, text: text, marks: translation.marks, isChanged: translation.isChanged)
    }
  }

  /// The advice for the first mark that fits, of a statement or a comment.
  private func first(where fits: (Translation.Mark, Int) -> Bool) -> Advice? {
    let comment = comments.first {
      fits(Translation.Mark(why: "", token: $0, isEarly: true), number(of: $0.range.lowerBound))
    }
    for statement in statements {
      guard
        let mark = statement.marks.first(where: { fits($0, number(of: $0.token.range.lowerBound)) })
      else { continue }
      if let comment, comment.range.lowerBound < mark.token.range.lowerBound { break }
      let needless = statement.text == nil ? statement.marks.first { $0.isNeedless } : nil
      if let needless { return advice(needless.why, nil, needless.token) }
      let line = statement.text ?? replacingOperators(in: number(of: mark.token.range.lowerBound))
      return advice(line.map { _ in "\(mark.why); " } ?? mark.why, line, mark.token)
    }
    return comment.map(advice)
  }

  private func advice(_ why: String, _ code: String?, _ token: ForeignToken) -> Advice {
    var shown = code.map { "write \(SourceSecrets($0).masked())" } ?? ""
    if lacksAuth, let code, !code.contains("require"),
      ForeignToken.tokens(of: Array(code.utf8)).contains(where: { $0.text == "Auth" })
    {
      shown = "below local Auth = require \"luath.auth\", \(shown)"
    }
    let line = number(of: token.range.lowerBound)
    let start = line == 1 ? 0 : breaks[line - 2] + 1
    return Advice(
      hint: why + shown, code: token.text, line: line, column: token.range.lowerBound - start)
  }

  private func advice(_ comment: ForeignToken) -> Advice {
    var text = comment.text.drop { "/*! ".contains($0) }
    if comment.text.hasPrefix("/*"), text.hasSuffix("*/") { text.removeLast(2) }
    let line = text.contains("\n") ? "--[[\(text)]]" : "-- \(text.trimmed)"
    return advice("comments begin with --; ", line, comment)
  }

  /// A line with other operators replaced by Lua's; nil if it has more that is not Lua.
  private func replacingOperators(in line: Int) -> String? {
    let operators = [
      "!=": "~=", "!==": "~=", "===": "==", "&&": "and", "||": "or", "??": "or", "null": "nil",
      "undefined": "nil",
    ]
    let others = [
      "!", "?", "?.", "=>", "->", "@", "@[", "@{", "^", "+=", "-=", "++", "{", "}", "let", "const",
      "var",
    ]
    let found = tokens.filter { number(of: $0.range.lowerBound) == line }
    guard let first = found.first, let last = found.last,
      !found.contains(where: { others.contains($0.text) || $0.kind == .template })
    else { return nil }
    var text: [UInt8] = []
    var position = first.range.lowerBound
    for token in found where token.kind != .string {
      guard let word = operators[token.text] else { continue }
      text += bytes[position..<token.range.lowerBound] + Array(word.utf8)
      position = token.range.upperBound
    }
    guard !text.isEmpty else { return nil }
    return String(decoding: text + bytes[position..<last.range.upperBound], as: UTF8.self)
  }

  // MARK: Lines

  private func number(of position: Int) -> Int {
    var (low, high) = (0, breaks.count)
    while low < high {
      let middle = (low + high) / 2
      if breaks[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low + 1
  }

  /// The last line with code before a line.
  private func previous(_ line: Int) -> Int {
    tokens.last { number(of: $0.range.lowerBound) < line }.map { number(of: $0.range.lowerBound) }
      ?? 0
  }
}

/// Names of luath's functions and properties, by what callers of another SDK expect of them.
struct ForeignNames {
  /// Functions that wait, which take no callbacks.
  var waiting: Set<String> = []
  /// Functions that take a function which is called later.
  var listening: Set<String> = []
  var properties: Set<String> = []

  /// The names in some modules.
  init(_ surface: Surface) {
    for name in ["luath.auth", "luath.admin", "luath.http", "luath.oidc"] {
      guard let module = surface.module(name) else { continue }
      for declaration in module.declarations + module.classes.flatMap(\.methods) {
        let last = String(declaration.name.split(separator: ".").last ?? "")
        if declaration.waits {
          waiting.insert(last)
        } else if declaration.parameters.contains(where: {
          if case .function = $0.kind { true } else { false }
        }) {
          listening.insert(last)
        }
      }
      properties.formUnion(module.classes.flatMap { $0.type.properties.map(\.name) })
    }
    for function in Spellings.shared.functions {
      if waiting.contains(function.method) { waiting.insert(function.name) }
      if listening.contains(function.method) { listening.insert(function.name) }
    }
  }
}

extension StringProtocol {
  /// The text without blanks around it.
  var trimmed: String {
    let start = drop { $0 == " " || $0 == "\r" || $0 == "\n" }
    let end = start.lastIndex { $0 != " " && $0 != "\r" && $0 != "\n" }
    return end.map { String(start[...$0]) } ?? ""
  }
}
