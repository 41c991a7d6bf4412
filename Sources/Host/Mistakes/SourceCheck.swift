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
  ///   - functions: The functions and properties that scripts can use.
  ///   - hasAuth: Whether the environment has `Auth`.
  ///   - session: For an entry at the prompt: the variables and globals of the session. A function in the entry may
  ///     use names that later entries define.
  func mistake(
    isOpen: Bool, isDefined: (String) -> Bool, names: () -> [String],
    functions: () -> ForeignNames, hasAuth: Bool = true, session: Set<String>? = nil
  ) -> ScriptFailure? {
    let tested = Set(globals.reads.lazy.filter(\.isTested).map(\.name))
    var unknown: [LuaGlobals.Read] = []
    for read in globals.reads where !globals.writes.contains(read.name) {
      if Self.olderNames.contains(read.name), tested.contains(read.name) { continue }
      if self.isOpen || isOpen, !Self.foreignWords.contains(read.name) { continue }
      if session != nil, read.isDeferred, !Self.foreignWords.contains(read.name) { continue }
      if isDefined(read.name) || unknown.contains(where: { $0.name == read.name }) { continue }
      unknown.append(read)
      if unknown.count == Self.mostShown { break }
    }
    func foreign() -> ForeignCode { ForeignCode(script.text, functions(), hasAuth: hasAuth) }
    guard let first = unknown.first else {
      return calledInPcall(functions) ?? comparison(session ?? [], foreign)
    }
    let (names, code) = (names(), foreign())
    var (failure, last) = undefined(first, names, code)
    var hints = [failure.hint]
    for read in unknown.dropFirst() {
      let (other, end) = undefined(read, names, code)
      let line = other.place.flatMap(SourceLine.init)?.line ?? 0
      guard let hint = other.hint, !hints.contains(hint), line > last else { continue }
      last = end
      if other.quotesSource { failure.quotesSource = true }
      failure.hint = "\(failure.hint ?? ""); line \(line), \(read.name): \(hint)"
      hints.append(hint)
    }
    return failure
  }

  /// How many undefined names one error explains.
  private static let mostShown = 8

  /// The failure for an undefined name, and the last line that its hint replaces.
  private func undefined(
    _ read: LuaGlobals.Read, _ names: [String], _ foreign: ForeignCode
  ) -> (ScriptFailure, last: Int) {
    let message = "nothing defines the global '\(read.name)'"
    let advice = read.name == "Auth" ? nil : foreign.advice(at: read.position)
    if let advice {
      var failure = ScriptFailure(
        message: message, hint: advice.hint, place: "\(script.name):\(advice.line)",
        name: advice.code)
      failure.column = advice.column
      failure.quotesSource = true
      return (failure, advice.last)
    }
    let hint: String
    if let line = Spellings.shared.line(forGlobal: read.name) {
      hint = "write \(line)"
    } else if foreign.functions.isFunction(read.name) {
      hint = "write Auth.\(read.name)"
    } else if read.name == "try" || read.name == "catch" {
      hint = "luath raises errors, and pcall returns them: \(Self.example)"
    } else if let near = nearestName(to: read.name, among: names.filter { $0 != read.name }) {
      hint = "did you mean '\(near)'?"
    } else {
      hint =
        "declare it with local; if it may be missing, read it with rawget(_G, \"\(read.name)\")"
    }
    let failure = failure(message, hint, at: read.position, read.name)
    return (failure, failure.place.flatMap(SourceLine.init)?.line ?? 0)
  }

  private static let example = "local ok, err = pcall(auth.signIn, auth, credential)"

  /// A failure at a position, in bytes from the start of the source.
  func failure(
    _ message: String, _ hint: String?, at position: Int, _ name: String
  ) -> ScriptFailure {
    let before = script.text.prefix(position)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    var failure = ScriptFailure(
      message: message, hint: hint, place: "\(script.name):\(line)", name: name)
    failure.column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count
    return failure
  }

  /// A call in `pcall` in place of a function: its errors are raised before `pcall` runs, which then fails itself.
  private func calledInPcall(_ functions: () -> ForeignNames) -> ScriptFailure? {
    guard globals.reads.contains(where: { $0.name == "pcall" || $0.name == "xpcall" }) else {
      return nil
    }
    guard let (name, position, hint) = LuaAdvice(script.text, functions()).calledInPcall() else {
      return nil
    }
    return failure(
      "pcall takes a function, and here it gets the result of \(name)", hint, at: position, name)
  }

  /// A use of Lua's function `error` as if it were an error, or a comparison that is never true: of an error's code
  /// with a number or a name of the web, or with `rawValue`.
  private func comparison(
    _ session: Set<String>, _ foreign: () -> ForeignCode
  ) -> ScriptFailure? {
    let bytes = Array(source.utf8)
    let tokens = LuaLexer.tokens(of: source).filter { $0.kind != .comment }
    func text(_ index: Int) -> String {
      guard tokens.indices.contains(index) else { return "" }
      return String(decoding: bytes[tokens[index].range], as: UTF8.self)
    }
    let isFunction =
      !locals.contains("error") && !writes.contains("error") && !session.contains("error")
    for index in tokens.indices.dropFirst()
    where isFunction && tokens[index - 1].kind == .name && tokens[index - 1].word == "error" {
      let isMember = index > 1 && (tokens[index - 2].is(".") || tokens[index - 2].is(":"))
      let isNil = (tokens[index].is("==") || tokens[index].is("~=")) && text(index + 1) == "nil"
      let isCondition =
        index > 1 && ["if", "elseif", "not", "and"].contains(text(index - 2))
        && ["then", "and", "or"].contains(text(index))
      guard !isMember, isNil || isCondition || tokens[index].is(".") else { continue }
      let position = tokens[index - 1].range.lowerBound
      let advice = foreign().advice(at: position)
      var failure = failure(
        "error is a function of Lua and never nil",
        advice?.hint ?? "luath raises errors: pcall returns them, as in \(Self.example)",
        at: position, "error")
      failure.quotesSource = advice != nil
      return failure
    }
    for index in tokens.indices.dropFirst(2) {
      if tokens[index].word == "rawValue", tokens[index - 1].is("."), index >= 4,
        let code = ErrorCode(rawValue: tokens[index - 2].word),
        ["ErrorCode", "AuthErrorCode"].contains(tokens[index - 4].word)
      {
        let lines = LuaLines(script.text)
        let value = lines.start(ofValueEndingAt: index)..<index + 1
        let line = lines.line(replacing: value, with: "Auth.ErrorCode.\(code.rawValue)")
        return failure(
          "an error code of luath is its own value, without rawValue", "write \(line)",
          at: tokens[index].range.lowerBound, "rawValue")
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
      let error = text(index - 3)
      return failure(
        "\(error).code is a name, which never equals \(value)",
        "write \(error).code \(tokens[index].word) Auth.ErrorCode.\(found.rawValue), or "
          + "\(error).\(other) \(tokens[index].word) \(value)",
        at: tokens[index - 1].range.lowerBound, "code")
    }
    return nil
  }
}
