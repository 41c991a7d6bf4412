import Encoding

/// How many different things are said of rows that share a cause.
///
/// Messages are taken for one that differ only in what is their row's own: its values, identifiers and numbers.
public struct MessageShapes: Sendable, Equatable {
  /// How many are told apart.
  private static let most = 1000

  private var seen: Set<String> = []

  /// None.
  public init() {}

  /// Takes note of what is said of a row.
  public mutating func add(_ message: String, of row: PlannedRow) {
    guard seen.count < Self.most else { return }
    seen.insert(Self.shape(of: message, row))
  }

  /// What is said behind an example of them; empty when there are no others.
  public var more: String {
    let others = seen.count - 1
    guard others > 0 else { return "" }
    let number = seen.count < Self.most ? "\(others)" : "more than \(others - 1)"
    return ", and \(number) other \(others == 1 ? "message" : "messages")"
  }

  /// A message without what is the row's own.
  static func shape(of message: String, _ row: PlannedRow) -> String {
    var own: Set<String> = [row.key]
    for value in (row.input?.entries ?? []).compactMap(\.value.string) { own.insert(value) }
    for uid in row.uids { own.insert(uid) }
    return message.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let end = word.lastIndex { !",.;:!?)'\"".contains($0) }
      let start = word.firstIndex { !"('\"".contains($0) }
      guard let start, let end, start <= end else { return String(word) }
      let core = word[start...end]
      // The place in a script tells causes apart, and an address or a number does not.
      let isPlace = core.contains(".lua")
      guard
        own.contains(String(core))
          || !isPlace && core.contains(where: { $0.isNumber || $0 == "@" })
      else { return String(word) }
      return word[..<start] + "…" + word[word.index(after: end)...]
    }.joined(separator: " ")
  }
}
