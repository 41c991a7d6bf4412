import IdentityToolkit
import Scripting

/// Removes secrets from entries before the history keeps them or an error shows them.
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
    let source = SourceSecrets(text)
    given.add(source.values)
    return known(source.masked(by: Self.mark, isSource: true) { given.clean(known($0)) })
  }

  /// Learns what a text gives as secrets.
  func learn(_ text: String) { given.add(SourceSecrets(text).values) }

  /// Source as an error shows its lines.
  func shown(_ source: [UInt8]) -> ShownSource {
    let shown = ShownSource(source) { given.clean(known($0)) }
    given.add(shown.secrets)
    return shown
  }

  /// Any words without what a text so far gave as a secret.
  func withoutGiven(_ words: String) -> String { given.clean(words) }

  /// Why a text must not run: a secret was taken out of it, and what stands there instead would be
  /// sent as one; nil when it may.
  static func problem(of text: String) -> PromptProblem? {
    guard text.contains(mark) else { return nil }
    // In a comment it does no harm.
    let source = SourceSecrets(text)
    guard source.tokens.contains(where: { source.text($0).contains(mark) }) else { return nil }
    return PromptProblem(
      "this text did not run: it is from the history, which keeps no secrets",
      hint: "put the secret in the place of \(mark)")
  }
}
