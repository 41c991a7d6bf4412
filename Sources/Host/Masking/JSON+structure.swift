public import System

extension JSON {
  /// Parses a text that is a JSON object or array; nil for any other text.
  public static func structure(_ text: String) -> JSON? {
    let first = text.utf8.first { $0 > 0x20 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    return try? JSON.parse(Array(text.utf8))
  }
}
