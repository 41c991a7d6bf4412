import Host
import Lua

/// Tracks the values of a session that differ in each run, so that a journey cannot expect them exactly.
///
/// These are values computed from secrets (which the journey generates anew), from times, or from other
/// values that differ.
struct DerivedValues {
  /// Functions whose results do not depend on the secret that they are given.
  private static let consumers: Set<String> = [
    "signIn", "signUp", "link", "reauthenticate", "actor", "configure", "createUsers",
    "importUsers", "updateUser", "password", "signInWithCredential", "linkWithCredential",
    "reauthenticateWithCredential", "OAuthProvider",
  ]
  private static let madeUp: Set<String> = [
    "os.date", "os.time", "os.clock", "totp.code", "totp.secret", "crypto.random", "crypto.uuid",
  ]
  private static let madeUpMembers: Set<String> = ["getIDToken", "createCustomToken"]

  /// Removes known secrets from a text.
  let clean: (String) -> String
  /// Variables and results with values that differ in each run.
  private var names: Set<String> = []

  init(clean: @escaping (String) -> String) { self.clean = clean }

  /// The values that a journey may expect of an entry; call it for all entries in order.
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

  /// Whether the token is a name whose value differs in each run.
  private func differs(_ index: Int, in tokens: [LuaToken]) -> Bool {
    guard tokens[index].kind == .name else { return false }
    let word = tokens[index].word
    guard index > 1, tokens[index - 1].is(".") || tokens[index - 1].is(":") else {
      // A key in a table that has the same name by coincidence.
      let isKey = index + 1 < tokens.count && tokens[index + 1].is("=")
      return !isKey && names.contains(word)
    }
    return Self.madeUpMembers.contains(word)
      || Self.madeUp.contains("\(tokens[index - 2].word).\(word)")
  }

  /// The variables that an entry assigns to, outside of all brackets.
  private static func assigned(in tokens: [LuaToken]) -> Set<String> {
    var names = Set(LocalScan.declarations(in: tokens).flatMap(\.names))
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if token.is("(") || token.is("{") { depth += 1 }
      if token.is(")") || token.is("}") { depth -= 1 }
      guard depth == 0, token.is("="), index > 0 else { continue }
      // In `t.a.b = …` the variable is `t`.
      var start = index - 1
      while start > 1, tokens[start - 1].is(".") { start -= 2 }
      if tokens[start].kind == .name { names.insert(tokens[start].word) }
    }
    return names.subtracting(["_"])
  }

  /// Whether the expectation accepts any string of its kind.
  private static func isText(_ source: String) -> Bool {
    let kinds = ["jwt", "string", "uid", "uuid", "timestamp", "email"]
    return kinds.contains { source == "expect.any.\($0)" }
  }

  /// The expectation with placeholders for any string or number in place of the exact values.
  static func byKind(_ expected: SessionEntry.Expected) -> SessionEntry.Expected {
    let bytes = Array(expected.source.utf8)
    let tokens = LuaLexer.tokens(of: expected.source)
    var result: [UInt8] = []
    var taken = 0
    for (index, token) in tokens.enumerated() where token.kind == .string || token.kind == .number {
      let before = index > 0 ? tokens[index - 1] : nil
      // Keep keys and the names of classes.
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

extension SourceSecrets {
  /// The names of the functions whose arguments contain the token, the innermost first.
  func receivers(of index: Int) -> [String] {
    var names: [String] = []
    if index > 0, tokens[index].kind == .string, tokens[index - 1].kind == .name {
      names.append(tokens[index - 1].word)
    }
    var depth = 0
    for position in (0..<index).reversed() {
      let token = tokens[position]
      if token.is(")") || token.is("}") || token.is("]") { depth += 1 }
      guard token.is("(") || token.is("{") || token.is("[") else { continue }
      if depth > 0 {
        depth -= 1
      } else if position > 0, !token.is("["), tokens[position - 1].kind == .name {
        names.append(tokens[position - 1].word)
      }
    }
    return names
  }
}

/// Writes a session as a script that does the same.
///
/// Failed entries are left out, unless a later entry uses their error.
struct ScriptText {
  let entries: [SessionEntry]
  /// The names that a session begins with, and the source with which scripts define them.
  let names: [String: String]
  /// Removes known secrets from a text.
  let clean: (String) -> String
  /// Whether Lua compiles a text as statements.
  let isStatement: (String) -> Bool

  /// The script, and the environment variables from which it reads secrets.
  var text: (text: String, variables: [String]) {
    var variables: [String: String] = [:]
    var body = ""
    var mentioned: Set<String> = []
    let kept = JourneyText.story(of: entries)
    for (index, entry) in kept.enumerated() {
      mentioned.formUnion(JourneyText.mentioned(entry.text))
      let text = withoutSecrets(entry, &variables)
      guard entry.isGood else {
        let failing = entry.isExpression ? "return \(JourneyText.bare(text))" : text
        body += "_, _err = pcall(function()\n\(failing)\nend)\n"
        continue
      }
      // Nothing may follow a `return`, so an entry that ends with one becomes a function.
      let hasValues = entry.isExpression && !entry.expected.isEmpty
      if !hasValues, isStatement("\(text)\nlocal more") {
        body += text + "\n"
      } else if !entry.isExpression {
        body += "_ = (function()\n\(text)\nend)()\n"
      } else {
        body += "_ = \(JourneyText.bare(text))\n"
      }
      if !entry.expected.isEmpty, JourneyText.isNamed(entry, kept[(index + 1)...]) {
        body += "local _\(entry.number) <const> = _\n"
      }
    }
    if !variables.isEmpty { mentioned.insert("luath") }
    let head = names.keys.sorted().filter(mentioned.contains)
      .map { "local \($0) = \(names[$0] ?? "nil")\n" }.joined()
    return (body.isEmpty ? "" : head + body, variables.values.sorted())
  }

  private func withoutSecrets(
    _ entry: SessionEntry, _ variables: inout [String: String]
  ) -> String {
    JourneyText.withoutSecrets(entry, clean: clean) { content in
      let name = variables[content] ?? "SECRET_\(variables.count + 1)"
      variables[content] = name
      return "luath.secret \"\(name)\""
    }
  }
}
