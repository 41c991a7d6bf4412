import IdentityToolkit

/// Finds the texts of a Lua text that nobody may read where it is kept.
struct SecretLiterals {
  /// Functions that take passwords, codes or tokens beside names and addresses.
  private static let takeSecrets: Set<String> = [
    "createUser", "createUserWithEmailAndPassword", "signInWithEmail", "signInWithEmailLink",
    "signInWithEmailAndPassword", "signInWithCustomToken", "updatePassword", "validatePassword",
    "confirmPasswordReset", "confirmPasswordResetWithCode", "verifyPasswordResetCode",
    "applyActionCode", "checkActionCode", "credential", "credentialWithLink", "revokeToken",
    "appleCredential", "reveal",
  ]

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

  /// The places of secret texts among the tokens.
  ///
  /// - Parameters:
  ///   - clean: takes known secrets out of a text.
  ///   - guesses: whether texts count that are only given to functions which take secrets.
  func secrets(clean: (String) -> String, guesses: Bool) -> [Int] {
    let texts = tokens.indices.filter { tokens[$0].kind == .string || tokens[$0].kind == .broken }
    let found = texts.filter { index in
      let content = text(tokens[index])
      return clean(content) != content || isField(index)
        || guesses && !content.contains("@") && !isProvider(content) && isGiven(index)
    }
    // The same text is the same secret wherever it stands.
    let contents = Set(found.map { text(tokens[$0]) })
    return texts.filter { contents.contains(text(tokens[$0])) }
  }

  /// A text with others in the place of some tokens.
  ///
  /// - Parameter replacement: what stands there instead; an expression.
  func replacing(_ indices: [Int], by replacement: (LuaToken) -> String) -> String {
    var result: [UInt8] = []
    var taken = 0
    for index in indices {
      let range = tokens[index].range
      let isArgument = index > 0 && isCallable(tokens[index - 1])
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

  private func isField(_ index: Int) -> Bool {
    guard index > 1, tokens[index - 1].is("=") else { return false }
    var name = tokens[index - 2]
    if name.is("]"), index > 2 { name = tokens[index - 3] }
    let word = name.kind == .string ? String(text(name).dropFirst().dropLast()) : name.word
    return SecretNames.holdSecrets(word)
  }

  private func isProvider(_ content: String) -> Bool {
    content.wholeMatch(of: /["'](password|phone|emailLink|[a-z]+\.[\w.\-]+)["']/) != nil
  }

  /// Whether a text is given to a function that takes secrets: the innermost one that is called around it.
  private func isGiven(_ index: Int) -> Bool {
    var depth = 0
    for position in (0..<index).reversed() {
      let token = tokens[position]
      if token.kind == .name, position == index - 1 { return Self.takeSecrets.contains(token.word) }
      if token.is(")") { depth += 1 }
      guard token.is("(") else { continue }
      if depth > 0 {
        depth -= 1
        continue
      }
      guard position > 0 else { return false }
      let name = tokens[position - 1]
      if name.kind == .name { return Self.takeSecrets.contains(name.word) }
    }
    return false
  }
}
