import Foundation

/// A transcript of commands: files, command lines, and what they print and answer.
///
///     # What the session shows.
///
///     @ hello.lua
///     print "hello"
///     error "no"
///
///     $ luath run hello.lua
///     > hello
///     ! luath: error: hello.lua:2: no
///     = 1
///
/// - `#` lines before everything else are for the reader.
/// - `@ NAME` begins a file, which ends before the next `@` or `$` line; blank lines at its end
///   are not part of it.
/// - `$ COMMAND` is run by `sh` in the session's temporary folder, `luath` being the built one;
///   so pipes, variables and `2>&1` work. A command may go on in lines that begin with `$ ` too.
/// - Below it, `> ` lines are standard output, `! ` lines standard error, and `= CODE` is the exit
///   code, left out when it is 0. `>~` and `!~` mark a last line without a line break.
/// - What differs from run to run stands as `{folder}`, `{port}`, `{uid}`, `{time}`.
/// - Lines of progress are left out: how many there are depends on the machine.
struct Session {
  struct Step {
    var command: String
    var answer: [String] = []
  }

  private(set) var heading: [String] = []
  private(set) var files: [(name: String, text: String)] = []
  private(set) var steps: [Step] = []

  init(_ text: String) {
    enum Place { case heading, file, step }
    var place = Place.heading
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("@ ") {
        files.append((String(line.dropFirst(2)), ""))
        place = .file
      } else if line.hasPrefix("$ ") {
        let command = String(line.dropFirst(2))
        if place == .step, let last = steps.last, last.answer.isEmpty {
          steps[steps.count - 1].command += "\n\(command)"
        } else {
          steps.append(Step(command: command))
        }
        place = .step
      } else {
        switch place {
        case .heading: if !line.isEmpty { heading.append(line) }
        case .file: files[files.count - 1].text += line + "\n"
        case .step:
          // A blank line ends the command, so that one without any answer has an end as well.
          if line.isEmpty { place = .heading } else { steps[steps.count - 1].answer.append(line) }
        }
      }
    }
    for index in files.indices {
      while files[index].text.hasSuffix("\n\n") { files[index].text.removeLast() }
    }
  }

  /// The transcript with other answers.
  func text(answers: [[String]]) -> String {
    var parts = [heading.joined(separator: "\n") + "\n"]
    for file in files { parts.append("@ \(file.name)\n\(file.text)") }
    for (step, answer) in zip(steps, answers) {
      let command = step.command.split(separator: "\n").map { "$ \($0)\n" }.joined()
      parts.append(command + answer.map { $0 + "\n" }.joined())
    }
    return parts.joined(separator: "\n")
  }

  /// Runs all commands in a fresh folder and gives their answers.
  func play() async throws -> [[String]] {
    let folder = try ScriptFolder()
    for (name, text) in files { try folder.add(name, Array(text.utf8)) }
    var answers: [[String]] = []
    for step in steps {
      let shell = try Luath(["-c", step.command], in: folder.url, program: "/bin/sh")
      let ending = await shell.ending(within: 280)
      var answer = Self.lines(ending.output, ">", folder) + Self.lines(ending.errors, "!", folder)
      if ending.wasKilled {
        answer.append("= did not end")
      } else if ending.code != 0 {
        answer.append("= \(ending.code)")
      }
      answers.append(answer)
    }
    return answers
  }

  private static func lines(_ text: String, _ mark: String, _ folder: ScriptFolder) -> [String] {
    if text.isEmpty { return [] }
    let text = text.replacing(folder.url.path, with: "{folder}")
      .replacing(/127\.0\.0\.1:\d{5}/, with: "127.0.0.1:{port}")
      .replacing(/\b[A-Za-z0-9]{28}\b/, with: "{uid}")
      .replacing(/\b\d+ ms\b/, with: "{time} ms")
      .replacing(/luath: [█░]{20} \d+\/\d+ rows?[^\n]*\n/, with: "")
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let isWhole = lines.last?.isEmpty == true
    if isWhole { lines.removeLast() }
    return lines.enumerated().map { index, line in
      let isOpen = !isWhole && index == lines.count - 1
      return mark + (isOpen ? "~" : line.isEmpty ? "" : " ") + line
    }
  }
}
