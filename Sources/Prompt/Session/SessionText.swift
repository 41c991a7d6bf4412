import Lua
import System

/// The source that the session compiles for an entry: sees the session's local variables and exports its own.
///
/// The entry becomes the body of a function inside another one, which declares those of the session's
/// variables that the entry names; `debug.upvaluejoin` joins them with the variables of earlier entries.
/// After each `local` outside of all blocks, a call exports its variables as a function that returns them.
/// The values of an expression pass through a function that returns them, as a tail call would leave no
/// line for an error. Line numbers stay the same.
struct SessionText {
  let source: String
  /// Data for the session's Lua module: `names` to join, `kept` for each declaration.
  let facts: JSON
  /// Names that no entry uses by accident.
  static let keeper = "luath__keep"
  static let passer = "luath__pass"

  /// - Parameters:
  ///   - isExpression: whether the entry is an expression, whose values are returned.
  ///   - known: returns those of the names that are variables of the session; the value is true for constants.
  init(_ text: String, isExpression: Bool, known: ([String]) -> [String: Bool]) {
    let tokens = LuaLexer.tokens(of: text)
    let named = Set(tokens.lazy.filter { $0.kind == .name }.map(\.word)).union(["_ENV"])
    let known = known(named.sorted())
    let names = known.keys.sorted()
    let declarations = isExpression ? [] : LocalScan.declarations(in: tokens)
    let first = isExpression ? Self.passer : Self.keeper
    let locals = ([first] + names.map { known[$0] == true ? "\($0) <const> " : $0 })
      .joined(separator: ",")
    var body: [UInt8] = []
    let bytes = Array(text.utf8)
    var taken = 0
    var kept: [JSON] = []
    for declaration in declarations {
      let own = Self.distinct(declaration.names.filter { $0 != "_" })
      guard !own.isEmpty else { continue }
      if let word = declaration.closeWord {
        // The session closes the variable at its end, not after this entry; here it becomes a constant.
        body += bytes[taken..<word.lowerBound] + Array("const".utf8)
        taken = word.upperBound
      }
      body += bytes[taken..<declaration.end]
      taken = declaration.end
      kept.append([
        "names": .array(own.map(JSON.string)),
        "constants": .array(own.map { .bool(declaration.constants.contains($0)) }),
        "closing": declaration.closing.map(JSON.string) ?? .null,
      ])
      let list = own.joined(separator: ",")
      body += Array(
        ";\(Self.keeper)(\(kept.count),function() return \(list) end);".utf8)
    }
    body += bytes[taken...]
    let whole = String(decoding: body, as: UTF8.self)
    // A line break first, as the entry may end with a comment.
    let inner = isExpression ? "return \(Self.passer)(\(whole)\n)" : "\(whole)\n"
    source = "local \(locals)=...;return function(...) \(inner)end"
    facts = ["names": .array(names.map(JSON.string)), "kept": .array(kept)]
  }

  /// Takes an entry that does not compile unchanged.
  init(uncompiled text: String) {
    source = text
    facts = [:]
  }

  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}
