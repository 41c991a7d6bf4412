public import Lua

/// A module of the host that scripts require.
public final class Module {
  /// The name that scripts require: `luath.json`.
  public let name: String
  /// The purpose, in one sentence.
  public let summary: String
  /// Its functions.
  public let declarations: [Declaration]
  /// The classes of the module, with their methods.
  public let classes: [(type: LuaClass, methods: [Declaration])]
  let value: LuaValue

  /// Creates a module whose value is a table of its functions and other fields.
  ///
  /// A function with a dot in its name becomes a member of a table: `GoogleAuthProvider.credential`.
  init(
    _ name: String, _ summary: String, _ declarations: [Declaration],
    classes: [(type: LuaClass, methods: [Declaration])] = [], fields: [(String, LuaValue)] = [],
    metatable: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.declarations = declarations
    self.classes = classes
    let members = Self.members(declarations) + fields
    value = .pushed { call in
      call.push(.record(members))
      if let metatable { call.useMetatable(metatable) }
    }
  }

  private static func members(_ declarations: [Declaration]) -> [(String, LuaValue)] {
    var members: [(String, LuaValue)] = []
    var tables: [(name: String, members: [(String, LuaValue)])] = []
    for declaration in declarations {
      let words = declaration.name.split(separator: ".", maxSplits: 1).map(String.init)
      let function = LuaValue.function(declaration.function)
      if words.count == 1 {
        members.append((declaration.name, function))
      } else if let known = tables.firstIndex(where: { $0.name == words[0] }) {
        tables[known].members.append((words[1], function))
      } else {
        tables.append((words[0], [(words[1], function)]))
      }
    }
    return members + tables.map { ($0.name, .record($0.members)) }
  }
}
