import System
import Lua

/// Converts JSON between Lua and Swift without losing what plain Lua tables cannot represent.
///
/// Arrays and empty objects have a metatable; null is a special value; objects that were decoded in order
/// keep the order of their keys in their own metatable.
enum JSONBridge {
  static let nullName = "json.null"
  static let array = "luath.json.array"
  static let object = "luath.json.object"
  private static let unread = "unread"

  static func register(in lua: LuaState) {
    lua.registerMetatable(array, [("__name", .string("json.array"))])
    lua.registerMetatable(object, [("__name", .string("json.object"))])
  }

  // MARK: Into Lua

  static func value(_ json: JSON, _ interpreter: Interpreter, ordered: Bool = false) -> LuaValue {
    .pushed { push(json, on: $0, interpreter, ordered: ordered) }
  }

  static func push(
    _ json: JSON, on call: LuaCall, _ interpreter: Interpreter, ordered: Bool = false
  ) {
    switch json {
    case .null: call.push(interpreter.null)
    case .bool(let value): call.push(value)
    case .integer(let value): call.push(value)
    case .number(let value): call.push(value)
    case .string(let value): call.push(value)
    case .array(let items):
      call.newTable(items: items.count)
      for (index, item) in items.enumerated() {
        push(item, on: call, interpreter, ordered: ordered)
        call.popIntoItem(index + 1)
      }
      call.useMetatable(array)
    case .object(let members):
      call.newTable(fields: members.count)
      for (key, member) in members.entries {
        push(member, on: call, interpreter, ordered: ordered)
        call.popIntoField(key)
      }
      if ordered {
        call.push(
          .record([
            ("__name", .string("json.object")),
            ("keys", .list(members.entries.map { .string($0.key) })),
          ]))
        call.popIntoMetatable()
      } else if members.count == 0 {
        call.useMetatable(object)
      }
    }
  }

  /// A list that is encoded as an array even when it is empty.
  static func list(_ items: [LuaValue]) -> LuaValue {
    .pushed { call in
      call.push(.list(items))
      call.useMetatable(array)
    }
  }

  // MARK: Out of Lua

  /// Reads a Lua value as JSON; the error contains the path to the value that cannot be converted.
  static func read(_ call: LuaCall, _ index: Int) throws(LuaError) -> JSON {
    do throws(Unwritable) { return try json(call, index) } catch {
      throw .message("cannot write \(error.what) as JSON, at \(error.place)\(error.question)")
    }
  }

  /// Reads a value for a report as JSON.
  ///
  /// Bytes that are not UTF-8 are escaped and numbers that JSON lacks become strings, so that nothing is lost.
  static func readSpellingOut(_ call: LuaCall, _ index: Int) throws(LuaError) -> JSON {
    var path: [Step] = []
    do throws(Unwritable) { return try read(call, index, &path, spellsOut: true) } catch {
      throw .message("cannot decide \(error.what), at \(error.place)\(error.question)")
    }
  }

  /// A key or index on the path to a value; converted to text only for errors.
  private enum Step {
    case member(String)
    case item(Int)

    var words: String {
      switch self {
      case .member(let name): name
      case .item(let position): "\(position)"
      }
    }
  }

  /// A value that JSON cannot represent, with the path to it.
  struct Unwritable: Error {
    let path: [String]
    let what: String
    var question = ""

    var place: String { path.isEmpty ? "the top" : path.joined(separator: ".") }
  }

  static func json(_ call: LuaCall, _ index: Int) throws(Unwritable) -> JSON {
    var path: [Step] = []
    return try read(call, index, &path)
  }

  private static func read(
    _ call: LuaCall, _ index: Int, _ path: inout [Step], spellsOut: Bool = false
  ) throws(Unwritable) -> JSON {
    if call.isNil(index) { return .null }
    if call.isString(index) { return .string(try text(call, index, path, spellsOut)) }
    if call.isTable(index) { return try table(call, index, &path, spellsOut) }
    if call.isInteger(index), let value = call.integer(index) { return .integer(value) }
    if let number = call.number(index) {
      if !number.isFinite, spellsOut { return .string("\(number)") }
      guard number.isFinite else { throw refusal(path, "a number that is not finite") }
      return .number(number)
    }
    switch call.typeName(index) {
    case "boolean": return .bool(call.boolean(index))
    case nullName: return .null
    case let other: throw refusal(path, "a \(other)")
    }
  }

  private static func table(
    _ call: LuaCall, _ index: Int, _ path: inout [Step], _ spellsOut: Bool
  ) throws(Unwritable) -> JSON {
    guard path.count < 128 else {
      throw Unwritable(
        path: path.prefix(6).map(\.words) + ["…"], what: "a table deeper than 128 levels",
        question: ": is there a circle?")
    }
    let length = call.length(index)
    let isArray = call.hasMetatable(index, array) || call.hasMetatable(index, ListMetatable.name)
    var members: [(String, JSON)] = []
    var items = 0
    func take(_ key: Int, _ value: Int) throws(Unwritable) {
      if call.isString(key) {
        let name = try text(call, key, path, spellsOut)
        if isArray { throw refusal(path, "an array with the key '\(name)'") }
        path.append(.member(name))
        members.append((name, try read(call, value, &path, spellsOut: spellsOut)))
        path.removeLast()
      } else if call.isInteger(key), let position = call.integer(key), position >= 1,
        position <= length
      {
        items += 1
      } else {
        throw refusal(path, "a table with a key that is no string")
      }
    }
    try call.forEach(index) { key, value throws(Unwritable) in try take(key, value) }
    // The fields of an account record that the script has not read yet (luath.batch.records).
    try call.metafield(index, unread) { call, table -> Result<Void, Unwritable> in
      guard call.isTable(table) else { return .success(()) }
      return Result { () throws(Unwritable) in
        try call.forEach(table) { key, value throws(Unwritable) in try take(key, value) }
      }
    }?.get()
    if isArray || items > 0 {
      guard members.isEmpty else { throw refusal(path, "a table with both items and named fields") }
      guard items == length else { throw refusal(path, "an array with holes") }
      var list: [JSON] = []
      list.reserveCapacity(length)
      for position in 1...max(1, length) where position <= length {
        path.append(.item(position))
        list.append(
          try call.item(index, position) { (call, at) -> Result<JSON, Unwritable> in
            do throws(Unwritable) {
              return .success(try read(call, at, &path, spellsOut: spellsOut))
            } catch {
              return .failure(error)
            }
          }.get())
        path.removeLast()
      }
      return .array(list)
    }
    return .object(JSONObject(ordered(members, by: keys(call, index))))
  }

  /// The keys of an object in the order of the decoded text; empty when it was not decoded with `ordered`.
  static func keys(_ call: LuaCall, _ index: Int) -> [String] {
    call.metafield(index, "keys") { call, at in call.strings(at) } ?? []
  }

  private static func ordered(
    _ members: [(String, JSON)], by keys: [String]
  ) -> [(String, JSON)] {
    // Lua's order is random, so without a known order keys are sorted.
    if keys.isEmpty { return members.sorted { $0.0 < $1.0 } }
    var rank: [String: Int] = [:]
    for (position, key) in keys.enumerated() { rank[key] = position }
    return members.sorted {
      let (left, right) = (rank[$0.0] ?? .max, rank[$1.0] ?? .max)
      return left == right ? $0.0 < $1.0 : left < right
    }
  }

  private static func text(
    _ call: LuaCall, _ index: Int, _ path: [Step], _ spellsOut: Bool
  ) throws(Unwritable) -> String {
    if spellsOut { return readable(call.bytes(index) ?? []) }
    let bytes = call.view(index)?.assumingMemoryBound(to: UInt8.self)
    guard let text = String(utf8: bytes ?? UnsafeBufferPointer(start: nil, count: 0)) else {
      throw refusal(path, "a string that is not UTF-8 (encode bytes with crypto.base64 first)")
    }
    return text
  }

  /// The bytes as text; invalid UTF-8 is escaped as `\xFF`.
  static func readable(_ bytes: [UInt8]) -> String {
    if let text = String(utf8: bytes) { return text }
    var text = ""
    var rest = bytes[...]
    while let first = rest.first {
      let length = [1, 2, 3, 4].first { count in
        count <= rest.count && String(validating: rest.prefix(count), as: UTF8.self) != nil
      }
      if let length {
        text += String(decoding: rest.prefix(length), as: UTF8.self)
      } else {
        text += "\\x" + (first < 16 ? "0" : "") + String(first, radix: 16, uppercase: true)
      }
      rest = rest.dropFirst(length ?? 1)
    }
    return text
  }

  private static func refusal(_ path: [Step], _ what: String) -> Unwritable {
    Unwritable(path: path.map(\.words), what: what)
  }
}
