import Encoding

/// Takes secrets out of texts before they are kept for the next session.
struct HistoryCleaner {
  /// Takes known secrets out of a text.
  let clean: @Sendable (String) -> String

  /// The text with `…` in the place of each secret.
  func callAsFunction(_ text: String) -> String? {
    let literals = SecretLiterals(text)
    let found = literals.secrets(clean: clean, guesses: true)
    return clean(literals.replacing(found) { _ in "\"…\"" })
  }
}
