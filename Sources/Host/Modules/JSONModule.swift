import System
import Lua

enum JSONModule {
  static func make(_ interpreter: Interpreter) -> Module {
    var json = Declarations(interpreter, owner: "json")
    json.add(
      "decode", "Reads JSON text (RFC 8259); integers stay integers, null becomes json.null.",
      [
        LuaParameter("text", .bytes),
        LuaParameter(
          "options",
          .options([
            LuaParameter(
              "ordered", .boolean, optional: true, "keep the order of keys; see json.keys"),
            LuaParameter(
              "unique", .boolean, optional: true, "refuse an object with a key twice"),
          ]), optional: true),
      ], returns: "the value"
    ) { [unowned interpreter] call throws(LuaError) in
      let ordered = call.isTable(2) && call.field(2, "ordered") { $0.boolean($1) }
      let unique = call.isTable(2) && call.field(2, "unique") { $0.boolean($1) }
      do throws(JSONError) {
        let value = try JSON.parse(call.bytes(1) ?? [], refusesDuplicates: unique)
        JSONBridge.push(value, on: call, interpreter, ordered: ordered)
      } catch {
        throw .object([
          (
            "code",
            .string(error.message == JSONError.duplicateKey ? "duplicateKey" : "invalidJSON")
          ),
          (
            "message",
            .string(
              "the text is not JSON: \(error.message) at line \(error.line), column \(error.column)"
            )
          ),
          ("line", .integer(Int64(error.line))), ("column", .integer(Int64(error.column))),
          ("hint", .string("check the text at that place")),
        ])
      }
      return .results(1)
    }
    json.add(
      "encode", "Writes a value as JSON, keys by name unless they have an order.",
      [
        LuaParameter("value", .any),
        LuaParameter(
          "options",
          .options([LuaParameter("pretty", .boolean, optional: true, "over several lines")]),
          optional: true),
      ], returns: "string"
    ) { call throws(LuaError) in
      let pretty = call.isTable(2) && call.field(2, "pretty") { $0.boolean($1) }
      call.push(try JSONBridge.read(call, 1).encoded(pretty: pretty))
      return .results(1)
    }
    json.add(
      "array", "Marks a table as an array, so that it is written as [] when it is empty.",
      [LuaParameter("table", .table, optional: true)], returns: "the table"
    ) { call in
      mark(call, JSONBridge.array)
    }
    json.add(
      "object", "Marks a table as an object, so that it is written as {} when it is empty.",
      [LuaParameter("table", .table, optional: true)], returns: "the table"
    ) { call in
      mark(call, JSONBridge.object)
    }
    json.add(
      "keys", "The keys of an object in the order of the text, if it was decoded with ordered.",
      [LuaParameter("object", .table)], returns: "a list of strings"
    ) { call in
      var present: [String] = []
      call.forEach(1) { key, _ in if call.isString(key) { present.append(call.string(key) ?? "") } }
      let order = JSONBridge.keys(call, 1)
      let known = Set(order)
      let missing = Set(order).subtracting(present)
      let keys = order.filter { !missing.contains($0) }
      call.push(
        .list((keys + present.filter { !known.contains($0) }.sorted()).map(LuaValue.string)))
      return .results(1)
    }
    return Module(
      "luath.json", "JSON text to Lua values and back, losing nothing.", json.list,
      fields: [("null", .reference(interpreter.null))])
  }

  private static func mark(_ call: LuaCall, _ metatable: String) -> LuaFunction.Answer {
    if call.isNil(1) { call.newTable() } else { call.push(.reference(call.reference(1))) }
    call.useMetatable(metatable)
    return .results(1)
  }
}
