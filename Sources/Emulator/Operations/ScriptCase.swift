/// Converts to lower case as JavaScript's `toLowerCase` does, which Firebase's emulator uses for addresses and ids.
enum ScriptCase {
  /// The text in lower case.
  ///
  /// Swift's `lowercased` differs in one letter: at the end of a word a capital sigma becomes ς (the
  /// condition `Final_Sigma` of the Unicode Standard, section 3.13).
  static func lowered(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.asciiLowercased }
    let scalars = Array(text.unicodeScalars)
    var lowered = ""
    for (index, scalar) in scalars.enumerated() {
      if scalar == "Σ", isLast(index, of: scalars) {
        lowered += "ς"
      } else {
        lowered += scalar.properties.lowercaseMapping
      }
    }
    return lowered
  }

  /// Whether a letter ends a word: a letter with case comes before it, and none comes after it.
  private static func isLast(_ index: Int, of scalars: [Unicode.Scalar]) -> Bool {
    func isCased(_ neighbours: some Sequence<Unicode.Scalar>) -> Bool {
      neighbours.first { !$0.properties.isCaseIgnorable }?.properties.isCased ?? false
    }
    return isCased(scalars[..<index].reversed()) && !isCased(scalars[(index + 1)...])
  }
}
