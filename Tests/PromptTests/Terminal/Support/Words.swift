@testable import Prompt

/// A language for tests: blocks between `do` and `end`, colours for these words, a few names.
final class Words: EditorLanguage {
  var names = ["print", "printf", "private", "zoo"]
  /// How often each was asked.
  private(set) var asked = 0

  func isComplete(_ text: String) -> Bool {
    let words = text.split { $0 == " " || $0 == "\n" }
    return words.filter { $0 == "do" }.count <= words.filter { $0 == "end" }.count
  }

  func colours(of text: String) -> [ColouredPart] {
    var parts: [ColouredPart] = []
    var start = 0
    for word in text.split(omittingEmptySubsequences: false, whereSeparator: { " \n".contains($0) })
    {
      let range = start..<(start + word.utf8.count)
      if word == "do" || word == "end" { parts.append(ColouredPart(range, .keyword)) }
      start = range.upperBound + 1
    }
    return parts
  }

  func partner(of position: Int, in text: String) -> Int? {
    let bytes = Array(text.utf8)
    switch bytes[position] {
    case UInt8(ascii: "("): return bytes[position...].firstIndex(of: UInt8(ascii: ")"))
    case UInt8(ascii: ")"): return bytes[..<position].lastIndex(of: UInt8(ascii: "("))
    default: return nil
    }
  }

  func completions(of text: String, at cursor: Int) -> Completions {
    asked += 1
    let before = Array(text.utf8.prefix(cursor))
    let start = (before.lastIndex { [0x20, 0x0A].contains($0) } ?? -1) + 1
    let begun = String(decoding: before[start...], as: UTF8.self)
    return Completions(
      replacing: start..<cursor,
      names.filter { $0.hasPrefix(begun) }.map { .init($0, note: $0 == "print" ? "(…)" : "") })
  }

  func indentation(after text: String) -> Int { 2 }

  func outdent(_ word: String) -> Int { word == "fi" ? 2 : 0 }
}
