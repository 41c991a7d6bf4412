import Lua
import System

extension Interpreter {
  /// The failure of an error that ended a script, a task or a call.
  func describe(_ error: LuaError, traceback: String) -> ScriptFailure {
    let failure = plain(error, traceback: traceback)
    guard failure.isForeignCall,
      let place = (failure.place ?? Traceback(failure.traceback).place).flatMap(SourceLine.init),
      let source = try? WholeFile.read(place.file)
    else { return failure }
    return failure.explained(byCallIn: source, surface, hasAuth: false)
  }

  private func plain(_ error: LuaError, traceback: String) -> ScriptFailure {
    switch error {
    case .message(let text): return explained(Self.failure(text, traceback: traceback))
    case _ where isClosed:
      // The error value no longer exists.
      return plain(TaskErrors.closed, traceback: traceback)
    case .object(let fields):
      let reference = lua.makeReference(.record(fields))
      return plain(.value(reference), traceback: traceback)
    case .value(let reference):
      return lua.read(reference) { call, at in
        if call.isString(at) {
          return explained(Self.failure(call.string(at) ?? "", traceback: traceback))
        }
        guard call.isTable(at) else {
          return Self.failure(
            "error object is a \(call.typeName(at)) value", traceback: traceback)
        }
        func text(_ name: String) -> String? { call.field(at, name) { $0.string($1) } }
        var message = text("message") ?? lua.text(of: reference) ?? "error object is a table"
        let isMute = message.hasPrefix("table: 0x")
        if isMute {
          message = "the script raised a table without a message" + Self.contents(call, at)
        }
        let advice = isMute ? "raise a text, or a table with a message: error { message = … }" : nil
        var failure = ScriptFailure(
          message: message, code: isMute ? nil : text("code"), hint: text("hint") ?? advice,
          place: text("where"),
          traceback: text("traceback") ?? traceback, name: text("call"))
        failure.role = failure.name.map { _ in .call }
        failure.check = Self.check(call, at)
        return failure
      }
    }
  }

  /// The failure with the line to write, if it is in the script or in a file of its folder.
  private func explained(_ failure: ScriptFailure) -> ScriptFailure {
    guard !isClosed, let file = failure.place.flatMap(SourceLine.init)?.file,
      let source = mistakes.sources[file]
    else { return failure }
    return failure.explained(in: source, surface)
  }

  /// A colon and the contents of a table, shortened to a line; empty for an empty table.
  private static func contents(_ call: LuaCall, _ at: Int) -> String {
    guard let value = try? JSONBridge.readSpellingOut(call, at), value.object?.count != 0,
      value.array?.isEmpty != true
    else { return "" }
    let text = value.encoded(sortedKeys: true)
    return ": \(text.count > 200 ? "\(text.prefix(200))…" : text)"
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
    let role = message.firstMatch(of: /\((global|local|upvalue|method|field) '/).map {
      match -> NameRole in
      switch match.output.1 {
      case "method": .method
      case "field": .field
      default: .variable
      }
    }
    // Lua has no hints of its own.
    let hint =
      message.contains("(field 'currentUser')")
      ? "nobody is signed in: call auth:signIn(credential) before, or test auth.currentUser" : nil
    var failure = ScriptFailure(
      message: prefix + message, code: nil, hint: hint, place: place, traceback: traceback,
      name: name)
    let isArgument = message.firstMatch(of: /^(bad argument #\d+ to|calling) '/) != nil
    failure.role = isArgument ? .call : role
    return failure
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

/// The lines of a Lua traceback that are in scripts.
public struct Traceback {
  /// The calls, innermost first, at most 12.
  public let calls: [String]

  /// Leaves out C functions, luath's library and Lua's notes about tail calls.
  public init(_ text: String) {
    calls = text.split(separator: "\n").dropFirst()
      .map { String($0.drop { $0 == "\t" }.map { $0 == "\t" ? " " : $0 }) }
      .filter { !$0.hasPrefix("[C]") && !$0.hasPrefix("(...") && !$0.hasPrefix("luath/") }
      .prefix(12).map { $0 }
  }

  /// The `file:line` of the innermost call, from a line such as `file:line: in function 'f'`.
  public var place: String? {
    calls.lazy.compactMap { call in
      call.firstRange(of: ": in ").map { String(call[..<$0.lowerBound]) }
    }.first
  }
}

/// A line of a file, as in `file:line`.
public struct SourceLine {
  /// The file's name as the script was loaded.
  public let file: String
  /// The number of the line, from 1.
  public let line: Int

  /// Splits `file:line`; nil for another text.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let line = Int(text[text.index(after: colon)...])
    else { return nil }
    file = String(text[..<colon])
    self.line = line
  }
}
