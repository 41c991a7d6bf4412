import Host
import Synchronization
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

/// The lines that `.journey` has written into files whose earlier source still runs.
final class JourneyEdits: Sendable {
  private struct Edit {
    let running: [UInt8]
    var now: [UInt8]
    var insertions: [(line: Int, count: Int)] = []
  }

  private let files = Mutex<[String: Edit]>([:])

  /// Where a line of the source that runs is in the file now.
  ///
  /// - Throws: A `PromptProblem` if the file was changed by anything else than `.journey`.
  func line(
    _ line: Int, of file: String, running: [UInt8], now: [UInt8]
  ) throws(PromptProblem) -> Int {
    guard now != running else { return line }
    guard let edit = files.withLock({ $0[file] }), edit.running == running, edit.now == now else {
      throw PromptProblem(
        "\(file.printable) has changed since it was read, so the place of the pause is not known",
        hint:
          ".retry runs the journey as the file is now; .save FILE writes the entries as a script")
    }
    return edit.insertions.reduce(line) { $1.line <= $0 ? $0 + $1.count : $0 }
  }

  /// Records lines that were written.
  func note(_ insertion: JourneyInsertion, in file: String, running: [UInt8]) {
    files.withLock { files in
      var edit = files[file] ?? Edit(running: running, now: running)
      if edit.running != running { edit = Edit(running: running, now: running) }
      edit.now = Array(insertion.text.utf8)
      edit.insertions.append((insertion.line, insertion.count))
      files[file] = edit
    }
  }
}
