import IdentityToolkit
import Host

/// Removes secrets from entries before the history keeps them or an error shows them.
struct HistoryCleaner: Sendable {
  /// Replaces a secret; unlike `…`, it is never typed by accident.
  private static let mark = "‹secret removed›"

  /// Removes known secrets from a text.
  private let known: @Sendable (String) -> String
  /// Secrets in the entries so far, whether or not their calls ran.
  private let given = SecretMasker()

  init(clean: @escaping @Sendable (String) -> String) { known = clean }

  /// The entry with each secret replaced by a mark.
  func callAsFunction(_ text: String) -> String? {
    let source = SourceSecrets(text)
    given.add(source.values)
    return known(source.masked(by: Self.mark, isSource: true) { given.clean(known($0)) })
  }

  /// Records the secrets in an entry.
  func learn(_ text: String) { given.add(SourceSecrets(text).values) }

  /// Source for the excerpts in error messages.
  func shown(_ source: [UInt8]) -> ShownSource {
    let shown = ShownSource(source) { given.clean(known($0)) }
    given.add(shown.secrets)
    return shown
  }

  /// Any text without the secrets of the entries so far.
  func withoutGiven(_ words: String) -> String { given.clean(words) }

  /// Why an entry must not run: it contains the mark, which would be sent in place of a secret; nil when it may
  /// run.
  static func problem(of text: String) -> PromptProblem? {
    guard text.contains(mark) else { return nil }
    // The mark is harmless in a comment.
    let source = SourceSecrets(text)
    guard source.tokens.contains(where: { source.text($0).contains(mark) }) else { return nil }
    return PromptProblem(
      "this text did not run: it is from the history, which keeps no secrets",
      hint: "put the secret in the place of \(mark)")
  }
}
