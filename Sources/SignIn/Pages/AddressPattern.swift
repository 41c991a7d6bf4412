/// A pattern for URLs: with `*` (any text) it must match the whole URL, otherwise a part.
public struct AddressPattern: Sendable, Equatable {
  /// The pattern's source text.
  let text: String

  /// Creates a pattern.
  public init(_ text: String) { self.text = text }

  /// Whether the URL matches.
  func matches(_ address: String) -> Bool {
    let parts = text.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count > 1, let first = parts.first, let last = parts.last else {
      return text.isEmpty || address.contains(text)
    }
    guard address.hasPrefix(first) else { return false }
    var rest = address.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}
