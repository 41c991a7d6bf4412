/// Takes secrets out of texts before they are kept for the next session.
struct HistoryCleaner {
  /// What stands in the place of a secret: nobody types it by accident, as they may type `…`.
  private static let mark = "‹secret removed›"

  /// Takes known secrets out of a text.
  let clean: @Sendable (String) -> String

  /// The text with a mark in the place of each secret.
  func callAsFunction(_ text: String) -> String? {
    let literals = SecretLiterals(text)
    let found = literals.secrets(clean: clean, guesses: true)
    return clean(literals.replacing(found) { _ in "\"\(Self.mark)\"" })
  }

  /// Why a text must not run: a secret was taken out of it, and what stands there instead would be
  /// sent as one; nil when it may.
  static func problem(of text: String) -> PromptProblem? {
    guard text.contains(mark) else { return nil }
    return PromptProblem(
      "this text did not run: it is from the history, which keeps no secrets",
      hint: "put the secret in the place of \(mark)")
  }
}
