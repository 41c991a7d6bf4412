import Client
import Lua

/// Second factors as plain tables.
enum MultiFactorBridge {
  static func value(_ info: MultiFactorInfo) -> LuaValue {
    .record([
      ("uid", .string(info.uid)), ("factorID", .string(info.factorID)),
      ("displayName", .string(ifAny: info.displayName)),
      ("enrollmentDate", info.enrollmentDate.map(LuaValue.integer) ?? .nil),
      ("phoneNumber", .string(ifAny: info.phoneNumber)),
    ])
  }

  static func factor(_ name: String, optional: Bool = false) -> LuaParameter {
    LuaParameter(
      name, .either([.string, .table]), optional: optional,
      "a table of enrolledFactors or of hints, or its uid")
  }

  static func factorUID(
    _ call: LuaCall, _ index: Int, of function: String
  ) throws(LuaError) -> String {
    if let uid = call.string(index) { return uid }
    if call.isTable(index), let uid = call.field(index, "uid", { $0.string($1) }) { return uid }
    throw .message(
      "bad argument to '\(function)' (a second factor is a table with a uid, or the uid itself)")
  }
}
