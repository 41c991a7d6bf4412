import System

/// Counts the different error messages of rows that share an error code.
///
/// Messages count as equal if they differ only in the row's values, identifiers and numbers.
struct MessageShapes: Sendable, Equatable {
  /// Stop counting at this many.
  private static let most = 1000

  private var seen: Set<String> = []

  /// Creates an empty set.
  init() {}

  /// Adds the message of a row.
  mutating func add(_ message: String, of row: PlannedRow) {
    guard seen.count < Self.most else { return }
    seen.insert(Self.shape(of: message, row))
  }

  /// The text to append to an example message, such as ", and 3 other messages"; empty if there are no others.
  var more: String {
    let others = seen.count - 1
    guard others > 0 else { return "" }
    let number = seen.count < Self.most ? "\(others)" : "more than \(others - 1)"
    return ", and \(number) other \(others == 1 ? "message" : "messages")"
  }

  /// The message with the row's values, e-mail addresses and numbers replaced by "…".
  static func shape(of message: String, _ row: PlannedRow) -> String {
    var own: Set<String> = [row.key]
    for value in (row.input?.entries ?? []).compactMap(\.value.string) { own.insert(value) }
    for uid in row.uids { own.insert(uid) }
    return message.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let end = word.lastIndex { !",.;:!?)'\"".contains($0) }
      let start = word.firstIndex { !"('\"".contains($0) }
      guard let start, let end, start <= end else { return String(word) }
      let core = word[start...end]
      // Keep the script location, because it tells causes apart; replace e-mail addresses and numbers.
      let isPlace = core.contains(".lua")
      guard
        own.contains(String(core))
          || !isPlace && core.contains(where: { $0.isNumber || $0 == "@" })
      else { return String(word) }
      return word[..<start] + "…" + word[word.index(after: end)...]
    }.joined(separator: " ")
  }
}
