import IdentityToolkit

/// Takes secrets out of texts before they are kept for the next session, or shown beside an error.
struct HistoryCleaner: Sendable {
  /// What stands in the place of a secret: nobody types it by accident, as they may type `…`.
  private static let mark = "‹secret removed›"

  /// Takes known secrets out of a text.
  private let known: @Sendable (String) -> String
  /// What texts so far gave as secrets, whether or not the calls were made.
  private let given = SecretBook()

  init(clean: @escaping @Sendable (String) -> String) { known = clean }

  /// The text with a mark in the place of each secret.
  func callAsFunction(_ text: String) -> String? {
    known(cleaned(text, by: Self.mark, isKept: true))
  }

  /// Learns what a text gives as secrets.
  func learn(_ text: String) { learn(SecretLiterals(text)) }

  /// A text of Lua as an error shows its lines: secrets are left out, and lines stay where they are.
  func shown(_ text: String) -> String {
    cleaned(text, by: Redaction.mask, isKept: false)
  }

  /// Any words without what a text so far gave as a secret.
  func withoutGiven(_ words: String) -> String { given.clean(words) }

  private func cleaned(_ text: String, by mark: String, isKept: Bool) -> String {
    let literals = SecretLiterals(text)
    learn(literals)
    let clean: (String) -> String = { given.clean(known($0)) }
    let found = literals.secrets(clean: clean, guesses: true, words: isKept)
    let replaced = literals.replacing(found, isSource: isKept) { token in
      "\"\(mark)\"" + String(repeating: "\n", count: literals.text(token).count { $0 == "\n" })
    }
    return SecretLiterals.cleaningQueries(
      SecretLiterals.cleaningComments(replaced, by: clean), by: mark)
  }

  private func learn(_ literals: SecretLiterals) {
    let found = literals.secrets(clean: { $0 }, guesses: true, words: false)
    let values = found.flatMap { literals.values(at: $0) }
    given.add(values.filter { SecretNames.isSecret($0, under: "password") })
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
