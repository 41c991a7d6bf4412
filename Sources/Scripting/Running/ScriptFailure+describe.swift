import Lua

extension Interpreter {
  /// Puts an error value into words.
  func describe(_ error: LuaError, traceback: String) -> ScriptFailure {
    switch error {
    case .message(let text): return Self.failure(text, traceback: traceback)
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
        return ScriptFailure(
          message: message, code: text("code"), hint: text("hint"), place: text("where"),
          traceback: text("traceback") ?? traceback, name: text("call"))
      }
    }
  }

  /// Takes the place out of Lua's `file:line: message`.
  static func failure(_ text: String, traceback: String) -> ScriptFailure {
    var place: String?
    var message = text
    if let range = placeEnd(in: text) {
      place = String(text[..<range])
      message = String(text[text.index(range, offsetBy: 2)...])
    }
    var name: String?
    if let open = message.firstIndex(of: "'"),
      let close = message[message.index(after: open)...].firstIndex(of: "'")
    {
      name = String(message[message.index(after: open)..<close])
    }
    return ScriptFailure(
      message: message, code: nil, hint: nil, place: place, traceback: traceback, name: name)
  }

  /// The position of the colon and blank that end `file:line`.
  private static func placeEnd(in text: String) -> String.Index? {
    var search = text.startIndex
    while let colon = text[search...].firstIndex(of: ":") {
      let rest = text[text.index(after: colon)...]
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      if !digits.isEmpty, rest[digits.endIndex...].hasPrefix(": ") { return digits.endIndex }
      search = text.index(after: colon)
      if text[colon...].hasPrefix("\n") { return nil }
    }
    return nil
  }
}
