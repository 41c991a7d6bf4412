import Host
import IdentityToolkit
import Lua
import System

/// Formats a failure: the message, the line with a caret, and the calls up to the user's line.
struct PromptFailureText {
  /// Returns the source of a chunk or file by its name; nil when there is none.
  let source: (String) -> ShownSource?

  /// - Parameter chunk: the name of the current entry, whose position is not printed.
  func words(_ failure: ScriptFailure, chunk: String) -> String {
    let traceback = Traceback(failure.traceback)
    let calls = traceback.calls
    let given = failure.place.flatMap { Self.isOwn($0) ? nil : $0 }
    let place = given ?? traceback.place
    let code = failure.code.map { "\($0.printable): " } ?? ""
    let message = failure.message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0.map { $0 == "\t" ? " " : $0 }).printable }.joined(separator: "\n  ")
    let isHere = place.map { SourceLine($0)?.file == chunk } ?? true
    var words = "error: " + (isHere ? "" : "\(place?.printable ?? ""): ") + code + message + "\n"
    if let place { words += excerpt(at: place, failure) ?? "" }
    if let hint = failure.hint, !hint.isEmpty { words += "  hint: \(hint.printableLines)\n" }
    if calls.count > 1 {
      // The outermost function is the entry itself, which the session calls as a local `f`.
      let last = calls[calls.count - 1]
        .replacing(/: in (function <\[\d+\]:1>|local 'f')$/, with: "")
      let lines = calls.dropLast() + [last]
      words += "  called from:\n" + lines.map { "    \($0.printable)\n" }.joined()
    }
    return words
  }

  private func excerpt(at place: String, _ failure: ScriptFailure) -> String? {
    guard let place = SourceLine(place), let text = source(place.file),
      let excerpt = SourceExcerpt(place.line, of: text, for: failure)
    else { return nil }
    let isExact = excerpt.number == place.line
    return excerpt.text(
      marking: failure.name
        ?? (isExact ? Self.raiser(of: failure.traceback, within: excerpt.line) : nil),
      as: failure.role)
  }

  /// The function that raised the error, such as `error`; nil unless the line names it once and does not
  /// begin with it, as the enclosing function may be on the same line.
  private static func raiser(of traceback: String, within line: String) -> String? {
    let calls = traceback.split(separator: "\n").dropFirst()
    guard let call = calls.first?.firstMatch(of: /\[C\]: in \w+ '(?:\w+\.)*(\w+)'/) else {
      return nil
    }
    let name = String(call.output.1)
    let words = LuaLexer.tokens(of: line).filter { $0.kind != .comment }
    let isAlone = words.count { $0.word == name } == 1
    return isAlone && words.first?.word != name ? name : nil
  }

  /// Whether a position is in luath's library, which would not help the user.
  private static func isOwn(_ place: String) -> Bool { place.hasPrefix("luath/luath") }
}

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
      "this entry did not run: it is from the history, which keeps no secrets",
      hint: "put the secret in the place of \(mark)")
  }
}
