import Client
import Lua

extension Setting {
  /// The settings as options, each under its name and its alias.
  static func parameters(_ settings: [Setting]) -> [LuaParameter] {
    settings.flatMap { setting in
      [setting.name, setting.alias].compactMap { $0 }
        .map { LuaParameter($0, setting.kind.parameter, optional: true) }
    }
  }
}

extension Setting.Kind {
  /// The accepted Lua values; false clears a setting, as a table cannot contain nil.
  fileprivate var parameter: LuaParameter.Kind {
    switch self {
    case .text: .either([.string, .boolean])
    case .choice: .string
    case .flag, .oppositeFlag: .boolean
    case .integer: .integer
    case .number: .number
    case .texts, .wrappedTexts, .renamedTexts: .either([.list(.string), .boolean])
    case .textsByName: .either([.map(.string), .boolean])
    case .group(let inner), .whole(let inner), .onlyItem(_, let inner):
      .either([.options(Setting.parameters(inner)), .boolean])
    case .shown: .either([.table, .boolean])
    case .items(let inner): .either([.list(.options(Setting.parameters(inner))), .boolean])
    }
  }
}
