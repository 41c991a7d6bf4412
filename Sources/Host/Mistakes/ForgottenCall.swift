import Lua
import System

/// Lua's error for a field of a function, such as `Auth.auth.currentUser`: the call that was forgotten.
struct ForgottenCall {
  private let surface: Surface

  init(_ surface: Surface) { self.surface = surface }

  /// What to write in place of a line; nil for another error.
  ///
  /// - Parameters:
  ///   - source: The text of the file.
  ///   - number: The line of the error, from 1.
  func advice(for message: String, in source: [UInt8], at number: Int) -> String? {
    guard
      let match = message.firstMatch(
        of: /^attempt to index a function value \((\w+) '(\w+)'\)/)
    else { return nil }
    let lines = String(decoding: source, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(number - 1) else { return nil }
    let name = String(match.output.2)
    if match.output.1 == "field" || match.output.1 == "method" {
      return call(of: name, in: lines[number - 1]).map { "write \($0)" }
    }
    // A variable that holds the function, as after `local auth = Auth.auth`.
    for line in lines[..<number].reversed() {
      guard
        let value = line.firstMatch(of: /((?:local )?(\w+) *= *)([\w.]+) *(?:;|--|$)/),
        value.output.2 == name
      else { continue }
      let last = value.output.3.split(separator: ".").last.map(String.init) ?? ""
      return call(of: last, in: value.output.3).map { "write \(value.output.1)\($0)" }
    }
    return nil
  }

  /// The chain of names in a line that has the function, with the call.
  private func call(of name: String, in line: Substring) -> String? {
    for word in line.matches(of: /[\w.:]+/).map(\.output) {
      let names = word.split(omittingEmptySubsequences: false) { $0 == "." || $0 == ":" }
      guard let index = names.firstIndex(where: { $0 == name }), index > 0 else { continue }
      let function = declaration(name)
      if let function, function.parameters.contains(where: { !$0.optional }) {
        return function.usage
      }
      let owner = word[..<word.index(before: names[index].startIndex)]
      let called = "\(owner)\(isMethod(name) ? ":" : ".")\(name)()"
      guard let last = names[(index + 1)...].last else { return called }
      // What follows may be a method, with its arguments.
      let arguments = Self.brackets(line[word.endIndex...])
      let between = word[names[index].endIndex..<word.index(before: last.startIndex)]
      let separator = arguments.isEmpty || !isMethod(String(last)) ? "." : ":"
      return "\(called)\(between)\(separator)\(last)\(arguments)"
    }
    return nil
  }

  /// The parentheses that a text begins with, with what they enclose; empty if it begins otherwise.
  private static func brackets(_ text: Substring) -> Substring {
    guard text.first == "(" else { return "" }
    var depth = 0
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 { return text[...index] }
    }
    return ""
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
