import System
import Lua

extension Interpreter {
  func describe(_ error: LuaError, traceback: String) -> ScriptFailure {
    switch error {
    case .message(let text): return Self.failure(text, traceback: traceback)
    case _ where isClosed:
      // The error value no longer exists.
      return describe(TaskErrors.closed, traceback: traceback)
    case .object(let fields):
      let reference = lua.makeReference(.record(fields))
      return describe(.value(reference), traceback: traceback)
    case .value(let reference):
      return lua.read(reference) { call, at in
        if call.isString(at) {
          return Self.failure(call.string(at) ?? "", traceback: traceback)
        }
        guard call.isTable(at) else {
          return Self.failure(
            "error object is a \(call.typeName(at)) value", traceback: traceback)
        }
        func text(_ name: String) -> String? { call.field(at, name) { $0.string($1) } }
        var message = text("message") ?? lua.text(of: reference) ?? "error object is a table"
        if message.hasPrefix("table: 0x") { message = "a table was raised that says nothing" }
        var failure = ScriptFailure(
          message: message, code: text("code"), hint: text("hint"), place: text("where"),
          traceback: text("traceback") ?? traceback, name: text("call"))
        failure.check = Self.check(call, at)
        return failure
      }
    }
  }

  private static func check(_ call: LuaCall, _ at: Int) -> ScriptCheck? {
    guard call.field(at, "assertion", { $0.boolean($1) }) else { return nil }
    func text(_ name: String) -> String? { call.field(at, name) { $0.string($1) } }
    func texts(_ name: String) -> [String] {
      call.field(at, name) { try? JSONBridge.readSpellingOut($0, $1) }?
        .array?.compactMap(\.string) ?? []
    }
    return ScriptCheck(
      expression: text("expression"), expected: text("expected"), actual: text("actual"),
      diff: texts("diff"), steps: texts("steps"))
  }

  /// Splits Lua's `file:line: message` into position and message.
  static func failure(_ text: String, traceback: String) -> ScriptFailure {
    var place: String?
    var message = text[...]
    var prefix = ""
    if let module = text.firstMatch(of: /^error loading module '([^']*)' from file '[^']*':\n\t/) {
      message = text[module.range.upperBound...]
      prefix = "error loading module '\(module.output.1)': "
    }
    // An error that passed through coroutines has a position for each; the last is that of the error.
    while let end = placeEnd(in: message) {
      place = String(message[..<end])
      message = message[message.index(end, offsetBy: 2)...]
    }
    var name: String?
    if let open = message.firstIndex(of: "'"),
      let close = message[message.index(after: open)...].firstIndex(of: "'")
    {
      name = String(message[message.index(after: open)..<close])
    }
    return ScriptFailure(
      message: prefix + message, code: nil, hint: nil, place: place, traceback: traceback,
      name: name)
  }

  /// The position of the colon and blank that end `file:line`.
  private static func placeEnd(in text: Substring) -> String.Index? {
    let line = text.prefix { $0 != "\n" }
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let digits = line[line.index(after: colon)...].prefix { $0.isASCII && $0.isNumber }
    let isPlace = !digits.isEmpty && line[digits.endIndex...].hasPrefix(": ")
    return isPlace ? digits.endIndex : nil
  }
}
