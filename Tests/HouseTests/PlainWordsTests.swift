import Foundation
import Testing

/// The language of documents and messages: short sentences in documents, and none of the words of
/// `Tests/words-to-change.txt` in documents and in what luath prints.
@Suite struct PlainWordsTests {
  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// A paragraph, heading or list item, without what is not prose.
  private struct Passage {
    let page: String
    let line: Int
    var text: String
  }

  /// The passages of all documents but the decisions.
  private static func passages() throws -> [Passage] {
    var pages = ["README.md", "CHANGELOG.md", "SECURITY.md"]
    for folder in ["docs", "scripts", "Sources/luath/FirstSteps/Templates", "Tests"] {
      let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      for case let path as String in files ?? .init()
      where path.hasSuffix(".md") && !path.hasPrefix("decisions/") {
        // `make docs` leaves it there; ReferenceTests read it.
        if path != "reference.md" { pages.append("\(folder)/\(path)") }
      }
    }
    return try pages.sorted().flatMap { page in
      let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
      return passages(of: text, page: page)
    }
  }

  /// A row of a table is a passage.
  private static func passages(of text: String, page: String) -> [Passage] {
    var found: [Passage] = []
    var (inCode, inComment, continues) = (false, false, false)
    for (offset, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.trimmingCharacters(in: .whitespaces)
      if !inComment, words.hasPrefix("```") {
        (inCode, continues) = (!inCode, false)
        continue
      }
      if inCode || !continues && line.hasPrefix("    ") { continue }
      if words.hasPrefix("<!--") { inComment = true }
      if inComment {
        (inComment, continues) = (!words.hasSuffix("-->"), false)
        continue
      }
      let starts =
        words.range(of: #"^([-*>] |\d+\. |[#|])"#, options: .regularExpression) != nil
      if words.isEmpty {
        continues = false
      } else if continues && !starts {
        found[found.count - 1].text += " " + words
      } else {
        found.append(Passage(page: page, line: offset + 1, text: words))
        continues = !words.hasPrefix("#") && !words.hasPrefix("|")
      }
    }
    return found.map { Passage(page: $0.page, line: $0.line, text: prose($0.text)) }
  }

  /// A text without targets of links and with a backtick for each piece of code.
  private static func prose(_ text: String) -> String {
    text.replacingOccurrences(of: "`[^`]*`", with: "`", options: .regularExpression)
      .replacingOccurrences(of: #"\]\([^)]*\)"#, with: "", options: .regularExpression)
      .replacingOccurrences(of: #"^([-*>]|#+|\d+\.) +"#, with: "", options: .regularExpression)
  }

  /// The sentences of a passage; a row of a table has none.
  private static func sentences(of passage: Passage) -> [String] {
    if passage.text.hasPrefix("|") { return [] }
    return passage.text.replacingOccurrences(
      of: #"([.!?]["”)*_]*) +(?=["“(*_\[`]*([\p{Lu}\d`]|luath\b))"#, with: "$1\n",
      options: .regularExpression
    ).split(separator: "\n").map(String.init)
  }

  @Test func `no sentence of the documents has more than 40 words`() throws {
    let passages = try Self.passages()
    #expect(passages.count > 1000)
    for passage in passages {
      for sentence in Self.sentences(of: passage) {
        let count = sentence.split(separator: " ").count
        #expect(count <= 40, "\(passage.page):\(passage.line): \(count) words: \(sentence)")
      }
    }
  }

  /// The strings of the sources: messages, hints, help, reference and pages.
  ///
  /// A string without a space is a name or a key. Packages have no `stdlib/spec`.
  private static func messages() throws -> [Passage] {
    var found: [Passage] = []
    for folder in ["Sources", "stdlib", "scripts"] {
      let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      for case let path as String in files ?? .init() where !path.hasPrefix("spec/") {
        guard let language = StringLiterals.Language(path) else { continue }
        let source = try Array(Data(contentsOf: root.appending(path: "\(folder)/\(path)")))
        found += StringLiterals.found(in: source, language)
          .filter { $0.text.contains(" ") }.map {
            Passage(page: "\(folder)/\(path)", line: $0.line, text: prose($0.text))
          }
      }
    }
    return found
  }

  /// The comments of the lessons and templates, which users read.
  private static func lessons() throws -> [Passage] {
    var found: [Passage] = []
    for folder in ["scripts", "Sources/luath/FirstSteps/Templates"] {
      let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      for case let path as String in files ?? .init() where path.hasSuffix(".lua") {
        let page = "\(folder)/\(path)"
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        var continues = false
        for (offset, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
          .enumerated()
        {
          let words = line.drop { $0 == " " || $0 == "-" }
          let isComment = line.drop { $0 == " " }.hasPrefix("--")
          if isComment, continues {
            found[found.count - 1].text += " \(words)"
          } else if isComment {
            found.append(Passage(page: page, line: offset + 1, text: String(words)))
          }
          continues = isComment
        }
      }
    }
    return found.map { Passage(page: $0.page, line: $0.line, text: prose($0.text)) }
  }

  @Test func `documents, help, messages and lessons use plain words`() throws {
    let list = try String(
      contentsOf: Self.root.appending(path: "Tests/words-to-change.txt"), encoding: .utf8)
    let rows = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: "\t")
    }
    #expect(rows.count > 15)
    let messages = try Self.messages()
    #expect(messages.count > 5000)
    let lessons = try Self.lessons()
    #expect(lessons.count > 200)
    let passages = try Self.passages() + messages + lessons
    let any = try NSRegularExpression(
      pattern: rows.map { "(?:\($0[0]))" }.joined(separator: "|"), options: .caseInsensitive)
    let suspects = passages.filter {
      any.firstMatch(in: $0.text, range: NSRange($0.text.startIndex..., in: $0.text)) != nil
    }
    for row in rows {
      try #require(row.count == 2, "no plain word: \(row)")
      let words = try NSRegularExpression(pattern: String(row[0]), options: .caseInsensitive)
      for passage in suspects {
        let text = passage.text
        for match in words.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
          guard let found = Range(match.range, in: text) else { continue }
          let start = text.index(found.lowerBound, offsetBy: -40, limitedBy: text.startIndex)
          let end = text.index(found.upperBound, offsetBy: 40, limitedBy: text.endIndex)
          let around = text[(start ?? text.startIndex)..<(end ?? text.endIndex)]
          Issue.record(
            "\(passage.page):\(passage.line): write \(row[1]) instead of “\(text[found])”: \(around)"
          )
        }
      }
    }
  }
}
