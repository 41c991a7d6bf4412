import HTTP
import Lua
import System

/// Checks the files of one script before they run, and remembers the globals that they define.
final class MistakeFinder {
  private unowned let lua: LuaState
  private let environment: LuaReference?
  /// The globals that the files read so far assign.
  private var defined: Set<String> = []
  /// Whether one of them may define any name.
  private var isOpen = false
  /// The files read so far, by path.
  private var files: Set<String> = []
  /// The folder of the script; files in other folders are only read for what they define.
  private var folder: String?

  init(_ lua: LuaState) {
    self.lua = lua
    let text =
      "local name = ... if name then return _ENV[name] ~= nil end "
      + "local names = {} for name in next, _ENV do names[#names + 1] = name end return names"
    environment = try? lua.load(Array(text.utf8), name: "=luath/environment")
  }

  /// The first mistake in a script that is about to run.
  func first(in script: Script) -> ScriptFailure? {
    folder = script.folder
    return mistake(SourceCheck(script))
  }

  /// The first mistake in a file that the script requires; nil also for a file outside the script's folder.
  func first(inRequired path: String) -> ScriptFailure? {
    guard let folder, path.hasPrefix("\(folder)/"), !path.contains("lua_modules/"),
      let text = try? WholeFile.read(path)
    else { return nil }
    return mistake(SourceCheck(Script(text: text, name: path, folder: nil)))
  }

  private func mistake(_ check: SourceCheck) -> ScriptFailure? {
    note(check)
    return check.mistake(isOpen: isOpen, isDefined: isDefined) {
      check.locals.union(defined).sorted() + globalNames
    }
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

  /// The failure of a script that does not compile, with a hint if its code is of another language.
  func explained(by code: ForeignCode) -> ScriptFailure {
    guard let line = place.flatMap(SourceLine.init)?.line, let hint = code.hint(line: line) else {
      return self
    }
    return ScriptFailure(
      message: message, code: self.code, hint: hint, place: place, traceback: traceback, name: name)
  }
}
