import Lua
import Encoding

/// A text as it is compiled in a session: with the session's local variables in sight, and with its own
/// handed over to the session.
///
/// The text becomes the body of a function inside another one that declares those of the session's
/// variables which the text names; `debug.upvaluejoin` makes them the very variables that earlier texts
/// declared. Behind each `local` outside of all blocks stands a call that hands over its variables by a
/// function which sees them. The values of an expression go through a function that gives them back, as
/// a tail call would leave no line to blame. Lines stay where they are.
struct SessionText {
  /// What Lua compiles.
  let source: String
  /// What Lua's side of the session must know: `names` to join, `kept` for each declaration.
  let facts: JSON
  /// Names that no text uses by accident.
  static let keeper = "luath__keep"
  static let passer = "luath__pass"

  /// - Parameters:
  ///   - isExpression: whether the values of the text are wanted.
  ///   - known: which of some names are variables of the session; true for constants.
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
        // Closed when the session ends, not with the line that opened it; a constant it is all the same.
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
    // Behind a comment at the end nothing would count.
    let inner = isExpression ? "return \(Self.passer)(\(whole)\n)" : "\(whole)\n"
    source = "local \(locals)=...;return function(...) \(inner)end"
    facts = ["names": .array(names.map(JSON.string)), "kept": .array(kept)]
  }

  /// A text that does not compile, as it is.
  init(uncompiled text: String) {
    source = text
    facts = [:]
  }

  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}
