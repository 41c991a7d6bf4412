import Host
import System

/// Lines that are written into a file of journeys at the place of a pause.
struct JourneyInsertion {
  /// The new content of the file.
  let text: String
  /// The number of the first new line.
  let line: Int
  /// The number of new lines.
  let count: Int

  /// Puts lines before a line of a file, or after it, as deep as that line.
  ///
  /// - Throws: A `PromptProblem` if there is no such line, or if the file does not compile with the lines.
  init(
    _ lines: String, at number: Int, isAfter: Bool, of source: [UInt8]
  ) throws(PromptProblem) {
    var all = String(decoding: source, as: UTF8.self).utf8.split(
      separator: 0x0A, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    guard all.indices.contains(number - 1) else {
      throw PromptProblem(
        "the file has no line \(number) any more", hint: ".save FILE writes the entries as a script"
      )
    }
    let margin = String(all[number - 1].prefix { $0 == " " || $0 == "\t" })
    let own = JourneyText.indented(lines, by: margin).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    // The text ends with a line break, behind which there is no line.
    let added = own.last == "" ? own.dropLast() : own[...]
    let index = isAfter ? number : number - 1
    all.insert(contentsOf: added, at: index)
    text = all.joined(separator: "\n")
    line = index + 1
    count = added.count
    guard LuaParser().find(text) == .statements else {
      throw PromptProblem(
        "line \(number) is in the middle of a statement, where no other can be:\n\(lines)",
        hint: "write these lines into the file yourself")
    }
  }

  /// The names that a file defines for all its journeys.
  static func names(definedIn source: [UInt8]) -> Set<String> {
    let text = String(decoding: source, as: UTF8.self)
    return Set(
      text.matches(of: /(?m)^local\s+(?:function\s+)?([A-Za-z_]\w*)/).map { String($0.output.1) })
  }
}
