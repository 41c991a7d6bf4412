import IdentityToolkit
import Lua
import System

/// Finds mistakes in the source of a script before it runs: names that nothing defines, and code that means
/// nothing in Lua.
///
/// A name is undefined if the file reads it as a global, and neither the file assigns it, nor a file that it
/// requires, nor the environment has it. If a file may define globals in a way that cannot be read from it
/// (`LuaGlobals.isOpen`), only words of other languages are reported.
struct SourceCheck {
  let script: Script
  private let globals: LuaGlobals
  private let source: String

  init(_ script: Script) {
    self.script = script
    source = String(decoding: script.text, as: UTF8.self)
    globals = LuaGlobals(source)
  }

  /// The names of its local variables.
  var locals: Set<String> { globals.locals }
  /// The globals that this file assigns.
  var writes: Set<String> { globals.writes }
  /// The modules that it requires.
  var modules: Set<String> { globals.modules }
  /// Whether it may define globals that cannot be found by reading it.
  var isOpen: Bool { globals.isOpen }

  /// Names of other Lua versions, which portable code tests before it uses them.
  private static let olderNames: Set = [
    "bit", "bit32", "getfenv", "jit", "loadstring", "module", "setfenv", "unpack",
  ]

  /// Words of other languages, which compile as names in `local user = await f()`.
  private static let foreignWords: Set = ["async", "await", "new"]

  /// The first mistake of the file; nil if there is none.
  ///
  /// - Parameters:
  ///   - isOpen: Whether some other file may define any name.
  ///   - isDefined: Whether another file or the environment defines a name.
  ///   - names: All defined names, for suggestions.
  func mistake(
    isOpen: Bool, isDefined: (String) -> Bool, names: () -> [String]
  ) -> ScriptFailure? {
    let tested = Set(globals.reads.lazy.filter(\.isTested).map(\.name))
    for read in globals.reads where !globals.writes.contains(read.name) {
      if Self.olderNames.contains(read.name), tested.contains(read.name) { continue }
      if self.isOpen || isOpen, !Self.foreignWords.contains(read.name) { continue }
      if isDefined(read.name) { continue }
      return undefined(read, Spellings.shared.line(forGlobal: read.name), names)
    }
    return comparison()
  }

  private func undefined(
    _ read: LuaGlobals.Read, _ line: String?, _ names: () -> [String]
  ) -> ScriptFailure {
    let objectiveC = read.name.hasPrefix("FIRAuthErrorCode") ? "Auth.\(read.name)" : nil
    let hint: String
    if let line = line ?? objectiveC {
      hint = "write \(line)"
    } else if let near = nearestName(to: read.name, among: names()) {
      hint = "did you mean '\(near)'?"
    } else {
      hint =
        "declare it with local; if it may be missing, read it with rawget(_G, \"\(read.name)\")"
    }
    return ScriptFailure(
      message: "nothing defines the global '\(read.name)'", hint: hint,
      place: place(read.position), name: read.name)
  }

  /// A comparison that is never true: of an error's code with a number or a name of the web, or with `rawValue`.
  private func comparison() -> ScriptFailure? {
    let bytes = Array(source.utf8)
    let tokens = LuaLexer.tokens(of: source).filter { $0.kind != .comment }
    func text(_ index: Int) -> String {
      guard tokens.indices.contains(index) else { return "" }
      return String(decoding: bytes[tokens[index].range], as: UTF8.self)
    }
    for index in tokens.indices.dropFirst(2) {
      if tokens[index].word == "rawValue", tokens[index - 1].is("."), index >= 4,
        let code = ErrorCode(rawValue: tokens[index - 2].word),
        ["ErrorCode", "AuthErrorCode"].contains(tokens[index - 4].word)
      {
        return ScriptFailure(
          message: "an error code of luath is its own value, without rawValue",
          hint: "write err.code == Auth.ErrorCode.\(code.rawValue)",
          place: place(tokens[index].range.lowerBound), name: "rawValue")
      }
      guard tokens[index].is("==") || tokens[index].is("~="), tokens[index - 1].word == "code",
        tokens[index - 2].is(".")
      else { continue }
      let value = text(index + 1)
      let web = value.dropFirst().dropLast()
      let found = ErrorCode.allCases.first {
        $0.number >= 17000 && Int(value) == $0.number || $0.webCode == web
      }
      guard let found else { continue }
      let other = Int(value) == nil ? "webCode" : "rawValue"
      return ScriptFailure(
        message: "err.code is a name, which never equals \(value)",
        hint:
          "write err.code \(tokens[index].word) Auth.ErrorCode.\(found.rawValue), or err.\(other) "
          + "\(tokens[index].word) \(value)",
        place: place(tokens[index].range.lowerBound), name: "code")
    }
    return nil
  }

  /// `file:line` of a position in the source.
  private func place(_ position: Int) -> String {
    let lines = script.text.prefix(position).count { $0 == UInt8(ascii: "\n") }
    return "\(script.name):\(lines + 1)"
  }
}

/// Explains code that Lua refuses to compile because it is written for another language.
struct ForeignCode {
  private let tokens: [LuaToken]
  private let bytes: [UInt8]

  init(_ text: [UInt8]) {
    bytes = text
    tokens = LuaLexer.tokens(of: String(decoding: text, as: UTF8.self)).filter {
      $0.kind != .comment
    }
  }

  /// The advice for an error in a line; nil if nothing foreign is near it.
  func hint(line: Int) -> String? {
    var lines: [Int: [Int]] = [:]
    var (number, position) = (1, 0)
    for (index, token) in tokens.enumerated() {
      number += bytes[position..<token.range.lowerBound].count { $0 == UInt8(ascii: "\n") }
      position = token.range.lowerBound
      lines[number, default: []].append(index)
    }
    // Lua reports the line of the token after the mistake.
    let earlier = lines.keys.filter { $0 < line }.max()
    for number in [earlier, line].compactMap(\.self) {
      for index in lines[number] ?? [] {
        if let hint = hint(at: index) { return hint }
      }
    }
    return nil
  }

  private func text(_ index: Int) -> String {
    tokens.indices.contains(index)
      ? String(decoding: bytes[tokens[index].range], as: UTF8.self) : ""
  }

  private func isName(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .name
  }

  /// Whether two tokens have nothing between them.
  private func touches(_ index: Int) -> Bool {
    tokens.indices.contains(index + 1)
      && tokens[index].range.upperBound == tokens[index + 1].range.lowerBound
  }

  private func isOnOneLine(_ index: Int) -> Bool {
    guard tokens.indices.contains(index + 1) else { return false }
    return !bytes[tokens[index].range.upperBound..<tokens[index + 1].range.lowerBound]
      .contains(UInt8(ascii: "\n"))
  }

  private func hint(at index: Int) -> String? {
    let (word, next) = (text(index), text(index + 1))
    if let label = label(at: index) { return label }
    guard let (name, why) = foreign(word, next, at: index),
      let line = Spellings.shared.line(forCode: name)
    else { return nil }
    return "\(why); write \(line)"
  }

  private func foreign(_ word: String, _ next: String, at index: Int) -> (String, String)? {
    let previous = text(index - 1)
    let pair = touches(index) ? word + next : word
    switch pair {
    case "!=": return ("!=", "in Lua unequal is ~=")
    case "&&": return ("&&", "Lua has the words and, or, not")
    case "||": return ("||", "Lua has the words and, or, not")
    case "++", "--": return ("++", "Lua has no \(pair)")
    case "+=", "-=", "*=", "/=", "..=": return ("+=", "Lua has no \(pair)")
    case "===": return ("!=", "Lua compares with == and ~=")
    case "=>": return ("=>", "luath has no callbacks: a call waits and returns its result")
    default: break
    }
    switch word {
    case "!": return ("!", "Lua has the words and, or, not")
    case "?": return ("?", "Lua has no optional chaining")
    case "@": return ("@", "this is Objective-C")
    case "`": return ("`", "Lua has no template strings")
    case "^" where next == "(": return ("^", "luath has no callbacks: a call waits")
    case "//" where isStatementStart(index): return ("//", "comments begin with --")
    case "[" where isStatementStart(index): return ("[", "this is Objective-C")
    case "[" where previous == "=" && text(index + 2) == ":":
      return ("\":", "the keys of a table are written without quotes, with =")
    case "[" where previous == "=": return ("[]", "a list is a table")
    case "in" where isTrailingClosure(index):
      return ("{in", "luath has no callbacks: the call waits and returns its result")
    case "then" where previous == "." || previous == ":":
      return ("then", "luath has no promises: the call waits and returns its result")
    case "goto" where previous == "." || previous == ":":
      return ("goto", "goto is a word of Lua, and a page has the method go")
    case "async", "await":
      return isOnOneLine(index) ? (word, "luath needs no \(word): a call waits by itself") : nil
    case "catch", "throw", "try":
      return (word, "Lua has no \(word); errors are caught with pcall")
    case "var", "let", "const":
      return isName(index + 1) ? (word, "variables are declared with local") : nil
    case "func": return isName(index + 1) ? (word, "Lua has the word function") : nil
    case "import", "new": return isName(index + 1) ? (word, "Lua has no \(word)") : nil
    case "*"
    where isName(index - 1) && isName(index + 1)
      && ["=", ";"].contains(text(index + 2)):
      return ("*", "variables are declared with local, without a type")
    case ":" where tokens[max(0, index - 1)].kind == .string && index > 0:
      return ("\":", "the keys of a table are written without quotes, with =")
    default:
      // Objective-C's `[[FIRAuth auth] …` is a long string in Lua.
      return word.hasPrefix("[[") && isStatementStart(index) ? ("[", "this is Objective-C") : nil
    }
  }

  private func isStatementStart(_ index: Int) -> Bool {
    index == 0 || !isOnOneLine(index - 1) || ["then", "do", "else", ";"].contains(text(index - 1))
  }

  /// Whether this is the `in` of Swift's `{ credential, error in`.
  private func isTrailingClosure(_ index: Int) -> Bool {
    var start = index - 1
    while isName(start) || text(start) == "," { start -= 1 }
    return text(start) == "{" && start < index - 1
  }

  /// The advice for Swift's argument labels: `signIn(with: credential)`.
  private func label(at index: Int) -> String? {
    guard isName(index), text(index + 1) == ":", ["(", ","].contains(text(index - 1)),
      !(isName(index + 2) && touches(index + 1) && ["(", "{"].contains(text(index + 3)))
    else { return nil }
    var open = index - 1
    while open > 0, text(open) != "(" { open -= 1 }
    guard isName(open - 1) else { return nil }
    var function = text(open - 1)
    if [".", ":"].contains(text(open - 2)), isName(open - 3) {
      let isProvider = text(open - 3).first?.isUppercase == true
      function = text(open - 3) + (isProvider ? "." : ":") + function
    }
    var (end, depth, words) = (open + 1, 1, "")
    while end < tokens.count {
      let word = text(end)
      if word == "(" { depth += 1 }
      if word == ")" { depth -= 1 }
      if depth == 0 { break }
      let isLabel = isName(end) && text(end + 1) == ":" && ["(", ","].contains(text(end - 1))
      words += isLabel ? "\(word) = " : word == "," ? ", " : word
      end += isLabel ? 2 : 1
    }
    return "argument labels are the keys of a table; write \(function){ \(words) }"
  }
}
