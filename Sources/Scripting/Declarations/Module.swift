public import Lua

/// A module that scripts require, made by the host.
public final class Module {
  /// What scripts require: `luath.json`.
  public let name: String
  /// What it is for, in one sentence.
  public let summary: String
  /// Its functions.
  public let declarations: [Declaration]
  /// The classes it brings, with their methods.
  public let classes: [(type: LuaClass, methods: [Declaration])]
  let value: LuaValue

  /// A module whose value is a table of its functions and other fields.
  init(
    _ name: String, _ summary: String, _ declarations: [Declaration],
    classes: [(type: LuaClass, methods: [Declaration])] = [], fields: [(String, LuaValue)] = [],
    metatable: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.declarations = declarations
    self.classes = classes
    let members = declarations.map { ($0.name, LuaValue.function($0.function)) } + fields
    value = .pushed { call in
      call.push(.record(members))
      if let metatable { call.useMetatable(metatable) }
    }
  }
}
