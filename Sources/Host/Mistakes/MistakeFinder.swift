import HTTP
import Lua
import System

/// Checks the files of one script before they run, and remembers the globals that they define.
final class MistakeFinder {
  private unowned let lua: LuaState
  private unowned let surface: Surface
  private let environment: LuaReference?
  /// The globals that the files read so far assign.
  private var defined: Set<String> = []
  /// Whether one of them may define any name.
  private var isOpen = false
  /// The files read so far, by path.
  private var files: Set<String> = []
  /// The folder of the script; files in other folders are only read for what they define.
  private var folder: String?
  /// The source of the script and of the files in its folder, by name.
  private(set) var sources: [String: [UInt8]] = [:]

  init(_ lua: LuaState, _ surface: Surface) {
    self.lua = lua
    self.surface = surface
    let text =
      "local name = ... if name then return _ENV[name] ~= nil end "
      + "local names = {} for name in next, _ENV do names[#names + 1] = name end return names"
    environment = try? lua.load(Array(text.utf8), name: "=luath/environment")
  }

  /// The first mistake in a script that is about to run.
  func first(in script: Script) -> ScriptFailure? {
    folder = script.folder
    sources[script.name] = script.text
    return mistake(SourceCheck(script))
  }

  /// The first mistake in a file that the script requires; nil also for a file outside the script's folder.
  func first(inRequired path: String) -> ScriptFailure? {
    guard let folder, path.hasPrefix("\(folder)/"), !path.contains("lua_modules/"),
      let text = try? WholeFile.read(path)
    else { return nil }
    let script = Script(text: text, name: path, folder: nil)
    sources[path] = script.text
    return mistake(SourceCheck(script))
  }

  /// The first mistake in an entry at the prompt.
  ///
  /// - Parameter known: The variables and globals of the session.
  func first(inEntry entry: Script, known: Set<String>) -> ScriptFailure? {
    let before = defined
    files.remove(entry.name)
    let check = SourceCheck(entry)
    note(check)
    let failure = check.mistake(
      isOpen: isOpen, isDefined: { known.contains($0) || isDefined($0) },
      // In this order a typing error suggests `auth` before `Auth`.
      names: { known.union(check.locals).union(defined).sorted(by: >) },
      functions: { ForeignNames(surface) }, session: known)
    if failure != nil { defined = before }
    return failure
  }

  /// The advice for Lua's error about a required file that does not compile.
  func advice(forModule message: String) -> String? {
    guard let match = message.firstMatch(of: /from file '([^']*)':\n\t[^\n]*:(\d+): (.*)/),
      let line = Int(match.output.2), let text = try? WholeFile.read(String(match.output.1))
    else { return nil }
    let (source, names) = (Script.source(text), ForeignNames(surface))
    return LuaAdvice(source, names).hint(String(match.output.3), line: line)
      ?? ForeignCode(source, names).advice(line: line, message: String(match.output.3))?.hint
  }

  /// The first call in a script that is certain to fail.
  func failingCall(in script: Script) -> ScriptFailure? {
    let text = """
      local module, keys = ...
      local good, value = pcall(require, module)
      if not good then return { "none" } end
      for _, key in ipairs(keys) do
        if type(value) ~= "table" then return { "any" } end
        good, value = pcall(function(owner) return owner[key] end, value)
        if not good then return { "error", value } end
      end
      return { type(value) }
      """
    guard let reader = try? lua.load(Array(text.utf8), name: "=luath/member") else { return nil }
    var check = MemberCheck(script.text, surface) { [unowned lua] module, path in
      let keys = LuaValue.list(path.map(LuaValue.string))
      guard let answer = try? lua.run(reader, [.string(module), keys]) else { return ("any", nil) }
      let found = lua.read(answer) { $0.strings($1) }
      return (found.first ?? "any", found.count > 1 ? found[1] : nil)
    }
    guard let (message, hint, position, word) = check.first() else { return nil }
    let source = SourceCheck(script)
    if message.contains("no callbacks") || message.contains("with a colon") {
      let failure = source.failure(message, hint, at: position, word)
      return failure.explained(byCallIn: script.text, surface, hasAuth: isDefined("Auth"))
    }
    // Errors of Lua begin with their place.
    let plain = message.replacing(/^\S*:\d+:\ /, with: "")
    let (words, advice) = Self.split(plain, hint)
    return source.failure(words, advice, at: position, word)
      .explained(in: script.text, surface)
  }

  /// The message and the hint of an error that has its advice after a semicolon.
  private static func split(_ message: String, _ hint: String?) -> (String, String?) {
    guard hint == nil, let end = message.firstRange(of: "; ") else { return (message, hint) }
    return (String(message[..<end.lowerBound]), String(message[end.upperBound...]))
  }

  private func mistake(_ check: SourceCheck) -> ScriptFailure? {
    note(check)
    return check.mistake(
      isOpen: isOpen, isDefined: isDefined,
      names: { check.locals.union(defined).sorted() + globalNames },
      functions: { ForeignNames(surface) }, hasAuth: isDefined("Auth"))
  }

  /// Notes what a file defines, and what the files define that it requires.
  private func note(_ check: SourceCheck) {
    guard files.insert(check.script.name).inserted else { return }
    defined.formUnion(check.writes)
    isOpen = isOpen || check.isOpen
    for module in check.modules.sorted() {
      if let script = source(of: module) { note(SourceCheck(script)) }
    }
  }

  /// The file that `require` would load for a module; nil for luath's own and for C modules.
  private func source(of module: String) -> Script? {
    let templates = lua.withGlobal("package") { call, at in
      call.field(at, "path") { $0.string($1) ?? "" }
    }
    let name = module.replacing(".", with: "/")
    return templates.split(separator: ";").lazy.compactMap { template in
      let path = String(template).replacing("?", with: name)
      return (try? WholeFile.read(path)).map { Script(text: $0, name: path, folder: nil) }
    }.first
  }

  private func isDefined(_ name: String) -> Bool {
    if defined.contains(name) { return true }
    guard let environment, let answer = try? lua.run(environment, [.string(name)]) else {
      return true
    }
    return lua.read(answer) { $0.boolean($1) }
  }

  private var globalNames: [String] {
    guard let environment, let names = try? lua.run(environment, []) else { return [] }
    return lua.read(names) { $0.strings($1) }.sorted()
  }
}

extension ScriptFailure {
  /// The failure in one line, for an error that Lua raises.
  var line: String {
    (place.map { "\($0): " } ?? "") + message + (hint.map { " (\($0))" } ?? "")
  }

  /// The failure of a script that does not compile, at the code that is of another language, if there is any.
  func explained(by code: ForeignCode) -> ScriptFailure {
    guard let place = place.flatMap(SourceLine.init) else { return self }
    let lua = LuaAdvice(code.bytes, code.functions)
    if let hint = lua.hint(message, line: place.line) {
      var failure = self
      failure.hint = hint
      return failure
    }
    guard let advice = code.advice(line: place.line, message: message)
    else { return self }
    // Where the code is in an earlier line, Lua's message names something else.
    let isEarlier = advice.line != place.line
    var failure = ScriptFailure(
      message: isEarlier ? message.replacing(/\ near .*/, with: "") : message, code: self.code,
      hint: advice.hint, place: "\(place.file):\(advice.line)", traceback: traceback,
      name: advice.code)
    failure.column = advice.column
    failure.quotesSource = true
    return failure
  }

  /// Whether a call failed because it is written as in another SDK.
  var isForeignCall: Bool {
    message.contains("luath has no callbacks") || message.contains("with a colon")
      || message.contains("(no label '")
      || message.contains("got table; usage: provider:getCredential(")
      || message.contains("attempt to add a 'string'")
      || message.contains("arithmetic on a string value")
      || message.contains("a list has no item 0")
  }

  /// The failure of a call that ran, with the line to write, if the call is as in another SDK.
  func explained(byCallIn source: [UInt8], _ surface: Surface, hasAuth: Bool) -> ScriptFailure {
    guard isForeignCall,
      let place = (place ?? Traceback(traceback).place).flatMap(SourceLine.init),
      let advice = ForeignCode(source, ForeignNames(surface), hasAuth: hasAuth)
        .advice(forCallIn: place.line)
    else { return self }
    let plain = message.replacing(/; write .*?(?=; usage|\)$)/, with: "")
    let why = "luath has no callbacks: the call waits and returns its result; "
    let isSaid = plain.contains("luath has no callbacks") && advice.hint.hasPrefix(why)
    var failure = ScriptFailure(
      message: plain, code: code,
      hint: isSaid ? String(advice.hint.dropFirst(why.count)) : advice.hint, place: self.place,
      traceback: traceback, name: name)
    failure.column = column
    failure.quotesSource = true
    return failure
  }
}
