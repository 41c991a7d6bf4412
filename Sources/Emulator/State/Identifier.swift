internal import IdentityToolkit
internal import System

extension EmailAddress {
  /// The address in lower case, or nil unless there is exactly one `@` with something on each side.
  static func roughlyNormalized(_ text: String) -> String? {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    return ScriptCase.lowered(text)
  }

  static func domain(_ address: String) -> String {
    address.utf8.lastIndex(of: UInt8(ascii: "@")).map {
      String(address[address.utf8.index(after: $0)...])
    } ?? ""
  }
}

/// Whether two texts have the same bytes, or both are missing.
///
/// Swift's `==` also equates texts that only look the same, such as an accented letter in one or two code points.
func sameText(_ one: String?, _ other: String?) -> Bool {
  guard let one, let other else { return one == nil && other == nil }
  return ExactString(one) == ExactString(other)
}
