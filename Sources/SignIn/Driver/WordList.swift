/// Words to search for, preprocessed once because each page needs hundreds of searches.
struct WordList: Sendable, ExpressibleByArrayLiteral {
  let words: [String]
  /// Short ASCII words, matched only as whole words because they are part of many others.
  private let whole: Set<String>
  /// Words matched anywhere, as UTF-8 bytes.
  private let parts: [[UInt8]]

  init(_ words: [String]) {
    self.words = words
    let isWhole: (String) -> Bool = { $0.utf8.count <= 5 && $0.utf8.allSatisfy { $0 < 0x80 } }
    whole = Set(words.filter(isWhole))
    parts = words.filter { !isWhole($0) }.map { Array($0.utf8) }
  }

  init(arrayLiteral elements: String...) { self.init(elements) }

  func with(_ more: String...) -> WordList { WordList(words + more) }

  func without(_ fewer: String...) -> WordList { WordList(words.filter { !fewer.contains($0) }) }

  func isMentioned(in text: String) -> Bool {
    if text.isEmpty { return false }
    let low = text.lowercased()
    let bytes = Array(low.utf8)
    if parts.contains(where: { Self.has($0, in: bytes) }) { return true }
    return low.split { !$0.isLetter && !$0.isNumber && $0 != "'" }
      .contains { whole.contains(String($0)) }
  }

  private static func has(_ part: [UInt8], in text: [UInt8]) -> Bool {
    guard part.count <= text.count else { return false }
    let first = part[0]
    for start in 0...(text.count - part.count) where text[start] == first {
      var length = 1
      while length < part.count, text[start + length] == part[length] { length += 1 }
      if length == part.count { return true }
    }
    return false
  }
}
