import IdentityToolkit
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
    /// The last line that the hint's code replaces, from 1.
    let last: Int
  }

  let bytes: [UInt8]
  private let tokens: [ForeignToken]
  private let comments: [ForeignToken]
  /// The positions of the line breaks.
  private let breaks: [Int]
  private let names: Translation.Names
  let functions: ForeignNames
  /// Whether the source lacks the line that makes `Auth` known.
  private let lacksAuth: Bool

  /// - Parameters:
  ///   - text: The source.
  ///   - functions: The functions and properties that scripts can use.
  ///   - hasAuth: Whether the environment has `Auth`, as at the prompt.
  init(_ text: [UInt8], _ functions: ForeignNames, hasAuth: Bool = false) {
    bytes = text
    self.functions = functions
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

  /// The advice for a global that nothing defines, or that has another meaning in Lua, at its position.
  func advice(at position: Int) -> Advice? {
    if let comment = comments.first(where: { $0.range.contains(position) }) {
      return advice(comment)
    }
    let all = Array(statements)
    guard
      let index = all.firstIndex(where: {
        (start(of: $0)..<end(of: $0)).contains(position)
      })
    else { return nil }
    if let checked = checked(all, index) { return checked }
    let statement = all[index]
    if statement.isNeedless, let mark = statement.marks.first(where: \.isNeedless) {
      return region(all, index, mark.why, mark.token)
    }
    guard statement.text != nil, statement.isForeign else { return nil }
    let token =
      statement.marks.first?.token ?? tokens.first { $0.range.contains(position) }
      ?? tokens[statement.tokens.lowerBound]
    return region(all, index, statement.marks.first?.why ?? "", token)
  }

  /// The advice for the first place of a global that nothing defines.
  func advice(forGlobal name: String) -> Advice? {
    let place = tokens.first { $0.kind == .name && $0.text == name }
    return place.flatMap { advice(at: $0.range.lowerBound) }
  }

  /// The line to write for a call that failed when it ran, by the line of the call; nil if it is Lua as it should be.
  func advice(forCallIn line: Int) -> Advice? {
    guard
      let start = tokens.indices.first(where: {
        tokens[$0].startsLine && number(of: tokens[$0].range.lowerBound) == line
      })
    else { return nil }
    var translation = translation(start, isWhole: true)
    guard let text = try? translation.line() else { return nil }
    let source = ForeignToken.tokens(of: Array(text.utf8)).map(\.text)
    let written = tokens[start..<translation.at].filter { !$0.is(";") }.map(\.text)
    guard source != written else { return nil }
    let mark = translation.marks.first
    return advice(
      mark.map { "\($0.why); " } ?? "", text, mark?.token ?? tokens[start],
      to: number(of: tokens[translation.at - 1].range.lowerBound), from: tokens[start])
  }

  // MARK: Statements

  private struct Statement {
    let tokens: Range<Int>
    /// The Lua; nil if no translation is certain.
    let text: String?
    let marks: [Translation.Mark]
    let isChanged: Bool
    /// Whether a block has begun whose body is not in the translation.
    let isOpen: Bool
    /// The first use of an error that nothing declares, by token.
    let freeError: Int?

    /// Whether it calls methods of the SDKs with a dot.
    let hasDots: Bool

    /// Whether it is not Lua.
    var isForeign: Bool { !marks.isEmpty || isChanged }
    /// Whether nothing in luath stands for it.
    var isNeedless: Bool { text == nil && marks.contains { $0.isNeedless } }
  }

  private func translation(_ at: Int, isWhole: Bool) -> Translation {
    Translation(tokens, at: at, names: names, isWhole: isWhole, comments: isWhole ? comments : [])
  }

  private var statements: some Sequence<Statement> {
    sequence(state: 0) { (at: inout Int) -> Statement? in
      guard at < tokens.count else { return nil }
      let statement = statement(at)
      at = statement.tokens.upperBound
      return statement
    }
  }

  /// The most lines of a block that are shown.
  private static let mostLines = 80

  private func statement(_ start: Int) -> Statement {
    var translation = translation(start, isWhole: false)
    var text = try? translation.line()
    var end = max(text == nil ? 0 : translation.at, start + 1)
    let isWord = tokens[start].is("do")
    if text == nil || isWord || !translation.marks.isEmpty || translation.isChanged {
      // With the whole block, if it can be read.
      var whole = self.translation(start, isWhole: true)
      if let lines = try? whole.line(), lines.count(where: { $0 == "\n" }) < Self.mostLines {
        (text, translation, end) = (lines, whole, whole.at)
      }
    }
    while end < tokens.count, !tokens[end].startsLine { end += 1 }
    return Statement(
      tokens: start..<end, text: text, marks: translation.marks, isChanged: translation.isChanged,
      isOpen: translation.isOpen, freeError: translation.freeError,
      hasDots: !translation.dotted.isEmpty && translation.dotted.allSatisfy(functions.isMember))
  }

  private func start(of statement: Statement) -> Int {
    tokens[statement.tokens.lowerBound].range.lowerBound
  }

  private func end(of statement: Statement) -> Int {
    tokens[statement.tokens.upperBound - 1].range.upperBound
  }

  /// The advice for the first mark that fits, of a statement or a comment.
  private func first(where fits: (Translation.Mark, Int) -> Bool) -> Advice? {
    let comment = comments.first {
      fits(Translation.Mark(why: "", token: $0, isEarly: true), number(of: $0.range.lowerBound))
    }
    let all = Array(statements)
    for (index, statement) in all.enumerated() {
      guard
        let mark = statement.marks.first(where: { fits($0, number(of: $0.token.range.lowerBound)) })
      else { continue }
      if let comment, comment.range.lowerBound < start(of: statement) { break }
      if let checked = checked(all, index) { return checked }
      if statement.text != nil || statement.isNeedless {
        return region(all, index, mark.why, mark.token)
      }
      let line = replacingOperators(in: number(of: mark.token.range.lowerBound))
      return advice(line.map { _ in "\(mark.why); " } ?? mark.why, line, mark.token)
    }
    guard let comment else { return nil }
    if let around = all.firstIndex(where: {
      (start(of: $0)..<end(of: $0)).contains(comment.range.lowerBound)
    }), all[around].text != nil, !all[around].isOpen, all[around].isForeign {
      return region(
        all, around, all[around].marks.first?.why ?? "", all[around].marks.first?.token ?? comment)
    }
    // Code below the comment, if it is not Lua either.
    let next = all.firstIndex { start(of: $0) > comment.range.lowerBound }
    guard let next, all[next].text != nil, let mark = all[next].marks.first else {
      return advice(comment)
    }
    let before = comments.filter {
      $0.range.lowerBound >= comment.range.lowerBound && $0.range.lowerBound < start(of: all[next])
    }
    return region(all, next, mark.why, comment, before: before.map { Self.lua($0.text) })
  }

  /// The advice for a statement and the foreign statements that follow it.
  private func region(
    _ all: [Statement], _ index: Int, _ why: String, _ token: ForeignToken, before: [String] = []
  ) -> Advice {
    if index + 1 < all.count, let checked = checked(all, index + 1, from: index, token) {
      return checked
    }
    var (texts, last) = ([all[index].text ?? ""], index)
    while !all[last].isOpen, last + 1 < all.count, !all[last + 1].isOpen {
      let next = all[last + 1]
      guard next.isForeign || next.hasDots, next.text != nil || next.isNeedless else { break }
      texts.append(next.text ?? "")
      last += 1
    }
    let isKnown = texts.firstIndex(of: Translation.module) ?? texts.count
    texts = texts.enumerated().filter { place, text in
      !text.isEmpty && (place <= isKnown || text != Translation.module)
    }.map(\.element)
    let why = texts.isEmpty ? why : why.replacing(/[;:,] (?:so )?delete this line$/, with: "")
    if texts.isEmpty {
      let reason = all[index].marks.first(where: \.isNeedless)?.why ?? why
      let isSaid = reason.contains("delete this line")
      return advice(isSaid ? reason : "\(reason): delete this line", nil, token)
    }
    return advice(
      why.isEmpty ? "" : "\(why); ", Translation.lines(before + texts), token,
      to: number(of: end(of: all[last])),
      from: before.isEmpty ? tokens[all[index].tokens.lowerBound] : nil)
  }

  /// The advice for a test of an error that nothing declares, with the call before it.
  ///
  /// - Parameters:
  ///   - only: The call's statement; nil for one of the statements before.
  ///   - token: What is not Lua; nil for the error.
  private func checked(
    _ all: [Statement], _ index: Int, from only: Int? = nil, _ token: ForeignToken? = nil
  ) -> Advice? {
    guard let place = all[index].freeError else { return nil }
    for first in stride(from: only ?? index - 1, through: only ?? max(0, index - 3), by: -1) {
      var translation = translation(all[first].tokens.lowerBound, isWhole: true)
      translation.awaitedError = tokens[place].text
      var parts: [String] = []
      while translation.at < all[index].tokens.upperBound {
        guard let part = try? translation.statement() else { return nil }
        parts.append(part)
        while translation.take(";") {}
        if parts.count == 1, translation.checks.isEmpty { break }
      }
      guard let check = translation.checks.first, parts.count > 1 else { continue }
      if check.uses > 0, check.error != check.result {
        parts.insert("local \(check.error) = not ok and \(check.result)", at: 1)
      }
      return advice(
        "luath raises errors, and pcall returns them; ", Translation.lines(parts),
        token ?? tokens[place], to: number(of: tokens[translation.at - 1].range.lowerBound),
        from: tokens[all[first].tokens.lowerBound])
    }
    return nil
  }

  /// - Parameters:
  ///   - code: The Lua to write; nil if none is certain.
  ///   - token: What is not Lua.
  ///   - last: The last line that the code replaces; nil for the line of the token.
  ///   - first: The first token that the code replaces; nil for the token.
  private func advice(
    _ why: String, _ code: String?, _ token: ForeignToken, to last: Int? = nil,
    from first: ForeignToken? = nil
  ) -> Advice {
    var shown = ""
    if let code {
      let isLong = code.contains("\n")
      let needsAuth =
        lacksAuth && !code.contains("luath.auth")
        && ForeignToken.tokens(of: Array(code.utf8)).contains { $0.text == "Auth" }
      let lines = isLong && needsAuth ? "\(Translation.module)\n\(code)" : code
      let safe = Self.withoutTokens(lines)
      shown =
        isLong
        ? "write\n"
          + Translation.indented(safe).split(separator: "\n").map { "    \($0)" }
          .joined(separator: "\n")
        : (needsAuth ? "below \(Translation.module), " : "") + "write \(safe)"
      let begin = number(of: (first ?? token).range.lowerBound)
      if let last, begin < last {
        let comma = shown.hasPrefix("write") ? "" : ","
        shown = "in place of lines \(begin) to \(last)\(comma) \(shown)"
      }
    }
    let line = number(of: token.range.lowerBound)
    let start = line == 1 ? 0 : breaks[line - 2] + 1
    return Advice(
      hint: why + shown, code: token.kind == .comment ? "//" : token.text, line: line,
      column: token.range.lowerBound - start, last: last ?? line)
  }

  /// Code without its tokens and keys, which are never shown; passwords stay, as the script has them.
  private static func withoutTokens(_ code: String) -> String {
    let bytes = Array(code.utf8)
    var (shown, taken) = ([UInt8](), 0)
    for token in ForeignToken.tokens(of: bytes) where token.kind == .string && isToken(token.text) {
      shown += bytes[taken..<token.range.lowerBound] + Array("\"\(Redaction.mask)\"".utf8)
      taken = token.range.upperBound
    }
    return String(decoding: shown + bytes[taken...], as: UTF8.self)
  }

  private static func isToken(_ literal: String) -> Bool {
    let text = literal.dropFirst().dropLast()
    if ErrorCode.allCases.contains(where: { $0.webCode == text }) { return false }
    // The GUID of a tenant is no secret.
    if text.wholeMatch(of: /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) != nil {
      return false
    }
    if text.contains(/-----BEGIN|eyJ[\w\-]{8}|AIza[\w\-]{20}/) { return true }
    return !text.hasPrefix("http") && text.contains(/[\w\-+\/]{32}/)
  }

  private func advice(_ comment: ForeignToken) -> Advice {
    advice("comments begin with --; ", Self.lua(comment.text), comment)
  }

  /// A comment in Lua.
  static func lua(_ comment: String) -> String {
    var text = comment.drop { "/*! ".contains($0) }
    if comment.hasPrefix("/*"), text.hasSuffix("*/") { text.removeLast(2) }
    return text.contains("\n") ? "--[[\(text)]]" : "-- \(text.trimmed)"
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

extension StringProtocol {
  /// The text without blanks around it.
  var trimmed: String {
    let start = drop { $0 == " " || $0 == "\r" || $0 == "\n" }
    let end = start.lastIndex { $0 != " " && $0 != "\r" && $0 != "\n" }
    return end.map { String(start[...$0]) } ?? ""
  }
}
