import Lua
import System

/// Finds code that is nearly Lua, or that passes a call to `pcall` in place of a function, and shows the line to write.
struct LuaAdvice {
  private let lines: LuaLines
  private let names: ForeignNames
  /// The local variables that hold modules of luath.
  private let modules: Set<String>
  private let known: Set<String>

  init(_ source: [UInt8], _ names: ForeignNames) {
    let lines = LuaLines(source)
    self.lines = lines
    self.names = names
    modules = Set(
      lines.tokens.indices.dropFirst(2).compactMap { index in
        guard lines.tokens[index].word == "require", lines.isAt(index - 1, "="),
          lines.text(lines.value(at: index)).contains("luath.")
        else { return nil }
        return lines.tokens[index - 2].word
      })
    let globals = LuaGlobals(String(decoding: source, as: UTF8.self))
    known = globals.locals.union(globals.writes).union(["Auth", "auth", "user", "provider"])
  }

  /// The first `pcall(auth:signIn(credential))`: the name that is called, its position, and the hint.
  func calledInPcall() -> (name: String, position: Int, hint: String)? {
    for index in lines.tokens.indices where isPcall(index) {
      let value = lines.value(at: index + 2)
      guard lines.isAt(value.upperBound, ")", ","),
        let call = value.compactMap({ lines.call(of: $0) }).last(where: { $0.range == value }),
        isOfLuath(call), let whole = lines.call(of: index)
      else { continue }
      var passed = lines.caught(call)
      let others = lines.arguments(of: whole).dropFirst().map(lines.text)
      passed.insert(contentsOf: others, at: lines.tokens[index].word == "xpcall" ? 1 : passed.count)
      let text = "\(lines.tokens[index].word)(\(passed.joined(separator: ", ")))"
      let name = lines.tokens[call.name]
      return (
        name.word, name.range.lowerBound, "write \(lines.line(replacing: whole.range, with: text))"
      )
    }
    return nil
  }

  /// The advice for Lua's message about code that is nearly Lua.
  func hint(_ message: String, line: Int) -> String? {
    if message.contains("function arguments expected near") { return methodValue(line) }
    guard message.contains("<name> expected near") else { return nil }
    return destructured(line) ?? asynchronous(line)
  }

  /// The advice for `local { user } = result`.
  private func destructured(_ line: Int) -> String? {
    let tokens = lines.tokens(inLine: line)
    guard let open = tokens.first(where: { lines.isAt($0, "{") && lines.isAt($0 - 1, "local") }),
      let close = tokens.first(where: { $0 > open && lines.isAt($0, "}") }),
      lines.isAt(close + 1, "="), lines.isName(close + 2)
    else { return nil }
    let fields = (open + 1..<close).filter { !lines.isAt($0, ",") }
    guard !fields.isEmpty, fields.allSatisfy(lines.isName) else { return nil }
    let names = fields.map { lines.tokens[$0].word }
    let value = lines.value(at: close + 2)
    let (owner, isPlain) = (lines.text(value), value.count == 1 || names.count == 1)
    let from = isPlain ? owner : "result"
    let text =
      (isPlain ? "" : "result = \(owner); local ") + names.joined(separator: ", ") + " = "
      + names.map { "\(from).\($0)" }.joined(separator: ", ")
    return "Lua has no destructuring; "
      + "write \(lines.line(replacing: open..<value.upperBound, with: text))"
  }

  /// The advice for `async function()`.
  private func asynchronous(_ line: Int) -> String? {
    let word = lines.tokens(inLine: line).first {
      lines.isName($0) && lines.tokens[$0].word == "async" && lines.isAt($0 + 1, "function")
    }
    guard let word else { return nil }
    return "luath needs no async: a call waits by itself; "
      + "write \(lines.line(replacing: word..<word + 2, with: "function"))"
  }

  /// The advice for a method that is not called: `pcall(auth:signIn, credential)`.
  private func methodValue(_ line: Int) -> String? {
    let found = (Array(lines.tokens(inLine: line)) + lines.tokens(inLine: line - 1)).first {
      $0 > 1 && lines.isName($0) && lines.isAt($0 - 1, ":") && !lines.isCallStart($0 + 1)
        && known.contains(root(of: $0))
    }
    guard let name = found else { return nil }
    let range = lines.start(ofValueEndingAt: name - 2)..<name + 1
    let object = lines.text(range.lowerBound..<name - 1)
    let word = lines.tokens[name].word
    let before = range.lowerBound - 1
    let text: String
    if lines.isAt(before, "("), isPcall(before - 1) {
      text = "\(object).\(word), \(object)"
    } else if names.properties.contains(word) {
      text = "\(object).\(word)"
    } else {
      text = "function(...) return \(object):\(word)(...) end"
    }
    return "a colon is only for calls; write \(lines.line(replacing: range, with: text))"
  }

  private func isPcall(_ index: Int) -> Bool {
    lines.isName(index) && ["pcall", "xpcall"].contains(lines.tokens[index].word)
      && lines.isAt(index + 1, "(") && !lines.isAt(index - 1, ".", ":", "function")
  }

  private func root(of name: Int) -> String {
    lines.tokens[lines.start(ofValueEndingAt: name - 2)].word
  }

  /// Whether a call is certain to be one of luath's, which does not return a function.
  private func isOfLuath(_ call: LuaLines.Call) -> Bool {
    let name = lines.tokens[call.name].word
    guard let start = call.receiver.first else { return false }
    let root = lines.tokens[start].word
    if root == "Auth" || modules.contains(root) { return true }
    let members = names.members("Auth").union(names.members("User"))
      .union(names.members("OAuthProvider"))
    let owner = lines.tokens[call.receiver.upperBound - 1].word
    let isNamed = ["auth", "user", "currentUser", "provider"].contains(owner)
    // Other objects may have a method `link` or `delete` too.
    return members.contains(name) && (isNamed || name.contains(where: \.isUppercase))
  }
}
