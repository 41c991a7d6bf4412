import Lua
import Scripting
/// Follows through a session what a journey cannot expect as it was seen: what is made of a secret, which
/// the journey makes up anew, of a time, or of a value that is another one in each run.
struct DerivedValues {
  /// Functions that use a secret up: what they give says nothing about it.
  private static let consumers: Set<String> = [
    "signIn", "signUp", "link", "reauthenticate", "actor", "configure", "createUsers",
    "importUsers", "updateUser", "password", "signInWithCredential", "linkWithCredential",
    "reauthenticateWithCredential", "OAuthProvider",
  ]
  /// What gives another value each time.
  private static let madeUp: Set<String> = [
    "os.date", "os.time", "os.clock", "totp.code", "totp.secret", "crypto.random", "crypto.uuid",
  ]
  private static let madeUpMembers: Set<String> = ["getIDToken", "createCustomToken"]

  /// Takes known secrets out of a text.
  let clean: (String) -> String
  /// Variables and results that hold what differs from run to run.
  private var names: Set<String> = []

  init(clean: @escaping (String) -> String) { self.clean = clean }

  /// What a text's values may be expected to be, where those of the texts before it have been asked for.
  mutating func expected(of entry: SessionEntry) -> [SessionEntry.Expected] {
    let literals = SourceSecrets(entry.text)
    let isDerived = isDerived(literals)
    if isDerived, !entry.isExpression { names.formUnion(Self.assigned(in: literals.tokens)) }
    guard let first = entry.expected.first else { return [] }
    let results: Set<String> = ["_", "_\(entry.number)"]
    if isDerived || !first.isExact && Self.isText(first.source) {
      names.formUnion(results)
    } else {
      names.subtract(results)
    }
    return isDerived ? entry.expected.map(Self.byKind) : entry.expected
  }

  private func isDerived(_ literals: SourceSecrets) -> Bool {
    let secrets = Set(literals.secrets(clean: clean, isWhole: true))
    let tokens = literals.tokens
    return tokens.indices.contains { index in
      guard secrets.contains(index) || differs(index, in: tokens) else { return false }
      return literals.receivers(of: index).allSatisfy {
        !Self.consumers.contains($0) && !literals.takesSecrets($0)
      }
    }
  }

  /// Whether a name at a place stands for something else in each run.
  private func differs(_ index: Int, in tokens: [LuaToken]) -> Bool {
    guard tokens[index].kind == .name else { return false }
    let word = tokens[index].word
    guard index > 1, tokens[index - 1].is(".") || tokens[index - 1].is(":") else {
      // A field of a table has the same name by chance.
      let isKey = index + 1 < tokens.count && tokens[index + 1].is("=")
      return !isKey && names.contains(word)
    }
    return Self.madeUpMembers.contains(word)
      || Self.madeUp.contains("\(tokens[index - 2].word).\(word)")
  }

  /// The variables that a text gives values to, outside of all brackets.
  private static func assigned(in tokens: [LuaToken]) -> Set<String> {
    var names = Set(LocalScan.declarations(in: tokens).flatMap(\.names))
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if token.is("(") || token.is("{") { depth += 1 }
      if token.is(")") || token.is("}") { depth -= 1 }
      guard depth == 0, token.is("="), index > 0 else { continue }
      // Of `t.a.b = …` it is `t` that holds it.
      var start = index - 1
      while start > 1, tokens[start - 1].is(".") { start -= 2 }
      if tokens[start].kind == .name { names.insert(tokens[start].word) }
    }
    return names.subtracting(["_"])
  }

  /// Whether what is expected is a text of any content.
  private static func isText(_ source: String) -> Bool {
    let kinds = ["jwt", "string", "uid", "uuid", "timestamp", "email"]
    return kinds.contains { source == "expect.any.\($0)" }
  }

  /// The same with any text and number in the place of those that were seen.
  static func byKind(_ expected: SessionEntry.Expected) -> SessionEntry.Expected {
    let bytes = Array(expected.source.utf8)
    let tokens = LuaLexer.tokens(of: expected.source)
    var result: [UInt8] = []
    var taken = 0
    for (index, token) in tokens.enumerated() where token.kind == .string || token.kind == .number {
      let before = index > 0 ? tokens[index - 1] : nil
      // Keys stay, and so does the name of a class.
      if let before, before.is("[") || before.kind == .name { continue }
      let isNegative = before?.is("-") ?? false
      let start = isNegative ? before?.range.lowerBound : nil
      result += bytes[taken..<(start ?? token.range.lowerBound)]
      result += Array("expect.any.\(token.kind == .string ? "string" : "number")".utf8)
      taken = token.range.upperBound
    }
    guard taken > 0 else { return expected }
    let source = String(decoding: result + bytes[taken...], as: UTF8.self)
    return SessionEntry.Expected(source: source, isExact: false)
  }
}
