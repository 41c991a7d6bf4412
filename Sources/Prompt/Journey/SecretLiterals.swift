import Encoding
import IdentityToolkit

/// Finds the texts of a Lua text that nobody may read where it is kept.
struct SecretLiterals {
  /// Functions that take passwords, codes or tokens beside names and addresses.
  static let takeSecrets: Set<String> = [
    "createUser", "createUserWithEmailAndPassword", "signInWithEmail", "signInWithEmailLink",
    "signInWithEmailAndPassword", "signInWithCustomToken", "updatePassword", "validatePassword",
    "confirmPasswordReset", "confirmPasswordResetWithCode", "verifyPasswordResetCode",
    "applyActionCode", "checkActionCode", "credential", "credentialWithLink", "revokeToken",
    "appleCredential", "reveal", "assertionForEnrollment", "assertionForSignIn", "verifyIDToken",
    "createSessionCookie", "userinfo",
  ]
  /// The same, where the name alone is that of too many other things.
  private static let takeSecretsOf: Set<String> = [
    "totp.code", "crypto.claims", "merge.password", "client.revoke", "client.verify",
  ]
  /// Names of others, which are no mistyped ones of the former.
  private static let takeNone: Set<String> = [
    "createUsers", "deleteUser", "getCredential", "signIn", "signInWith", "signInWithCredential",
    "signInWithProvider", "signInAnonymously", "signInWithPhoneNumber", "updateEmail",
    "updateProfile", "updatePhoneNumber", "verifySessionCookie", "createCustomToken", "userInfo",
    "getUser", "getUsers", "updateUser", "reverse", "removeAll", "isSignInWithEmailLink",
    "sendSignInLink", "sendPasswordReset", "sendPasswordResetEmail", "remove",
  ]
  /// What a name can be a mistyped one of: names like `reveal` are near to too many words.
  private static let names = takeSecrets.filter { $0.utf8.count >= 8 }.union(takeNone).sorted()

  /// The tokens of the text.
  let tokens: [LuaToken]
  private let bytes: [UInt8]

  init(_ text: String) {
    tokens = LuaLexer.tokens(of: text).filter { $0.kind != .comment }
    bytes = Array(text.utf8)
  }

  /// The text with its comments cleaned, where nothing can stand in for a secret.
  static func cleaningComments(_ text: String, by clean: (String) -> String) -> String {
    let comments = LuaLexer.tokens(of: text).filter { $0.kind == .comment }
    guard !comments.isEmpty else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var taken = 0
    for comment in comments {
      result += bytes[taken..<comment.range.lowerBound]
      result += Array(clean(String(decoding: bytes[comment.range], as: UTF8.self)).utf8)
      taken = comment.range.upperBound
    }
    return String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  /// The text with what stands under names of secrets in addresses, as in `?key=…`, replaced.
  static func cleaningQueries(_ text: String, by mark: String) -> String {
    guard text.contains("=") else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var taken = 0
    for token in LuaLexer.tokens(of: text)
    where token.kind == .string || token.kind == .broken || token.kind == .comment {
      result += bytes[taken..<token.range.lowerBound]
      taken = token.range.upperBound
      let content = String(decoding: bytes[token.range], as: UTF8.self)
      let cleaned = content.replacing(/(["'\[?&;#])([\w.\-]+)=([^&;#\s"'\]]+)/) { match in
        guard SecretNames.holdSecrets(String(match.output.2)) else { return String(match.output.0) }
        return "\(match.output.1)\(match.output.2)=\(mark)"
      }
      result += Array(cleaned.utf8)
    }
    return String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  /// What Lua would read at a token, without its quotation marks; of a text without an end there are
  /// several guesses.
  func values(at index: Int) -> [String] {
    let content = text(tokens[index])
    if let long = content.wholeMatch(of: /(?s)\[(=*)\[\n?(.*)\]\1\]/) {
      return [String(long.output.2)]
    }
    let inner = String(content.dropFirst())
    guard tokens[index].kind == .broken else { return [String(inner.dropLast())] }
    let end = inner.lastIndex { !") }\t".contains($0) }
    return [inner, end.map { String(inner[...$0]) } ?? inner]
  }

  /// The places of secret texts among the tokens.
  ///
  /// - Parameters:
  ///   - clean: takes known secrets out of a text.
  ///   - guesses: whether texts count that are only given to functions which take secrets.
  ///   - words: whether any word counts that stands under a name such as `code`, which often has no secret.
  func secrets(clean: (String) -> String, guesses: Bool, words: Bool = true) -> [Int] {
    let texts = tokens.indices.filter { tokens[$0].kind == .string || tokens[$0].kind == .broken }
    let found = texts.filter { index in
      let content = text(tokens[index])
      return clean(content) != content || isField(index, words: words)
        || guesses && !content.contains("@") && !isProvider(content) && isGiven(index)
    }
    // The same text is the same secret wherever it stands.
    let contents = Set(found.map { text(tokens[$0]) })
    return texts.filter { contents.contains(text(tokens[$0])) }
  }

  /// A text with others in the place of some tokens.
  ///
  /// - Parameters:
  ///   - isSource: whether the text is to be compiled, so that `f "text"` needs parentheses.
  ///   - replacement: what stands there instead; an expression.
  func replacing(
    _ indices: [Int], isSource: Bool = true, by replacement: (LuaToken) -> String
  ) -> String {
    var result: [UInt8] = []
    var taken = 0
    for index in indices {
      let range = tokens[index].range
      let isArgument = isSource && index > 0 && isCallable(tokens[index - 1])
      let text = replacement(tokens[index])
      result += bytes[taken..<range.lowerBound] + Array((isArgument ? "(\(text))" : text).utf8)
      taken = range.upperBound
    }
    return String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  /// What stands at a token.
  func text(_ token: LuaToken) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

  /// Whether `f "text"` calls what stands before the text.
  private func isCallable(_ token: LuaToken) -> Bool {
    token.kind == .name || token.is(")") || token.is("]") || token.kind == .string
  }

  private func isField(_ index: Int, words: Bool) -> Bool {
    guard index > 1, tokens[index - 1].is("=") else { return false }
    var name = tokens[index - 2]
    if name.is("]"), index > 2 { name = tokens[index - 3] }
    let word = name.kind == .string ? String(text(name).dropFirst().dropLast()) : name.word
    guard SecretNames.holdSecrets(word) else { return false }
    guard !words, SecretNames.isVague(word), let value = values(at: index).first else {
      return true
    }
    return SecretNames.isSecret(value, under: word) || SecretNames.isHidden(value, inField: word)
  }

  private func isProvider(_ content: String) -> Bool {
    content.wholeMatch(of: /["'](password|phone|emailLink|[a-z]+\.[\w.\-]+)["']/) != nil
  }

  /// Whether a text is given to a function that takes secrets: the innermost one that is called around it.
  private func isGiven(_ index: Int) -> Bool {
    var depth = 0
    for position in (0..<index).reversed() {
      let token = tokens[position]
      if token.kind == .name, position == index - 1 { return takesSecrets(position) }
      if token.is(")") { depth += 1 }
      guard token.is("(") else { continue }
      if depth > 0 {
        depth -= 1
        continue
      }
      guard position > 0 else { return false }
      if tokens[position - 1].kind == .name { return takesSecrets(position - 1) }
    }
    return false
  }

  /// The names of the functions that what stands at a place is given to, the innermost first.
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

  /// Whether the function at a name takes secrets, or is a mistyped one that does.
  private func takesSecrets(_ index: Int) -> Bool {
    let name = tokens[index].word
    if Self.takeSecrets.contains(name) { return true }
    let isMember = index > 1 && (tokens[index - 1].is(".") || tokens[index - 1].is(":"))
    let full = isMember ? "\(tokens[index - 2].word).\(name)" : name
    if Self.takeSecretsOf.contains(full) { return true }
    // Names of other things, such as functions of Lua's, are mostly shorter than these.
    guard name.utf8.count >= 5, !Self.takeNone.contains(name),
      let near = nearestName(to: name, among: Self.names), Self.takeSecrets.contains(near)
    else { return false }
    // A word such as `check` begins a name, and is none yet.
    return name.utf8.count >= 8 || near.utf8.count <= name.utf8.count + 2
  }
}
