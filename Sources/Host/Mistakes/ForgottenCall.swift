import Lua
import System

/// Lua's error for a field of a function, such as `Auth.auth.currentUser`: the call that was forgotten.
struct ForgottenCall {
  private let surface: Surface
  private let lines: LuaLines

  init(_ source: [UInt8], _ surface: Surface) {
    lines = LuaLines(source)
    self.surface = surface
  }

  /// What to write in place of a line, from 1; nil for another error.
  func advice(for message: String, line: Int) -> String? {
    guard
      let match = message.firstMatch(of: /^attempt to index a function value \((\w+) '(\w+)'\)/)
    else { return nil }
    let name = String(match.output.2)
    let tokens = lines.tokens(inLine: line)
    if match.output.1 == "field" || match.output.1 == "method" {
      return tokens.first { isMember($0, name) && lines.isAt($0 + 1, ".", ":") }
        .flatMap { advice(at: $0, tokens) }
    }
    // A variable that holds the function, as after `local auth = Auth.auth`.
    let value = (1..<max(tokens.upperBound, 1)).last {
      lines.isName($0) && lines.tokens[$0].word == name && lines.isAt($0 + 1, "=")
    }
    guard let value, lines.isName(value + 2) else { return nil }
    let last = lines.value(at: value + 2).upperBound - 1
    return isMember(last, lines.tokens[last].word) ? advice(at: last, value..<last + 1) : nil
  }

  private func isMember(_ index: Int, _ name: String) -> Bool {
    lines.isName(index) && lines.tokens[index].word == name && lines.isAt(index - 1, ".", ":")
  }

  /// The advice for the function with this name, which is not called.
  private func advice(at place: Int, _ tokens: Range<Int>) -> String {
    let name = lines.tokens[place].word
    if let function = declaration(name), function.parameters.contains(where: { !$0.optional }) {
      return "write \(function.usage)"
    }
    var changes = [(range: place..<place + 1, text: "\(name)()")]
    if isMethod(name) { changes.append((place - 1..<place, ":")) }
    if lines.isCallStart(place + 3), isMethod(lines.tokens[place + 2].word) {
      changes.append((place + 1..<place + 2, ":"))
    }
    // Another mistake in the same value: lists begin with 1.
    let value = lines.value(at: lines.start(ofValueEndingAt: place))
    for index in value.clamped(to: tokens)
    where lines.isAt(index, "[") && lines.isAt(index + 2, "]")
      && lines.text(index + 1..<index + 2) == "0"
    {
      changes.append((index + 1..<index + 2, "1"))
    }
    return "write \(lines.line(replacing: changes))"
  }

  private func declaration(_ name: String) -> Declaration? {
    guard let module = surface.module("luath.auth") else { return nil }
    return (module.declarations + module.classes.flatMap(\.methods)).first { $0.name == name }
  }

  /// Whether the SDK has the name as a method; `auth` is a function of `luath.auth` itself.
  private func isMethod(_ name: String) -> Bool {
    declaration(name)?.usage.prefix { $0 != "(" }.contains(":") == true
  }
}
