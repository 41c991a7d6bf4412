import Glibc
import Scripting

/// Tells a person how a script ended: the place, the line with a caret, what to do.
struct FailureReport {
  private let script: Script
  private let console: Console

  init(_ script: Script, _ console: Console) {
    self.script = script
    self.console = console
  }

  func status(of outcome: ScriptOutcome, timeout: String?) -> ExitStatus {
    switch outcome {
    case .finished: return .code(.ok)
    case .exited(let status): return .script(status)
    case .failed(let failure):
      report(failure)
      return .code(failure.code == "networkError" ? .unavailable : .failed)
    case .notLoaded(let failure):
      report(failure, place: failure.place ?? script.name)
      return .code(.notLoaded)
    case .stopped(.time):
      console.report(
        "\(script.name.printable) was stopped after its time limit of \(timeout ?? "")",
        hint: "raise --timeout, or look for what it waits for with --trace")
      return .code(.timedOut)
    case .stopped(.memory):
      console.report(
        "\(script.name.printable) was stopped: it took more memory than --memory allows",
        hint: "raise --memory, or look for a table that grows without end")
      return .code(.failed)
    case .stopped(.interrupt):
      console.report("\(script.name.printable) was interrupted")
      return .code(.interrupted)
    }
  }

  private func report(_ failure: ScriptFailure, place: String? = nil) {
    let place = (place ?? failure.place).map { "\($0): " } ?? ""
    let code = failure.code.map { "\($0): " } ?? ""
    let message = failure.message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0.map { $0 == "\t" ? " " : $0 }).printable }.joined(separator: "\n  ")
    console.writeError("luath: error: \(place.printable)\(code)\(message)\n")
    if let excerpt = excerpt(failure) { console.writeError(excerpt) }
    if let hint = failure.hint, !hint.isEmpty { console.writeError("  hint: \(hint.printable)\n") }
    let calls = calls(failure.traceback)
    if calls.count > 1 {
      console.writeError("  called from:\n")
      for call in calls { console.writeError("    \(call.printable)\n") }
    }
  }

  /// The script's line, with a caret under what the message is about.
  private func excerpt(_ failure: ScriptFailure) -> String? {
    guard let place = failure.place, let colon = place.lastIndex(of: ":"),
      let number = Int(place[place.index(after: colon)...]),
      let line = line(number, of: String(place[..<colon]))
    else { return nil }
    let (start, width) = span(in: line, failure)
    let margin = String(repeating: " ", count: String(number).count)
    let caret = String(repeating: " ", count: start) + String(repeating: "^", count: width)
    return "  \(number) | \(line)\n  \(margin) | \(caret)\n"
  }

  private func line(_ number: Int, of file: String) -> String? {
    var text = script.text
    if file != script.name {
      guard case .success(let content) = console.read(file) else { return nil }
      text = content
    }
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(number - 1) else { return nil }
    let line = String(decoding: lines[number - 1].prefix(200), as: UTF8.self)
    return line.map { $0 == "\t" || $0 == "\r" ? " " : String($0) }.joined().printable
  }

  /// Lua knows lines, not columns: the name in the message, or of the call that failed, tells.
  private func span(in line: String, _ failure: ScriptFailure) -> (start: Int, width: Int) {
    if let name = failure.name, let range = range(of: name, in: line) { return range }
    let code = line.drop { $0 == " " }
    let end = code.lastIndex { $0 != " " }.map { code.index(after: $0) } ?? code.endIndex
    return (line.count - code.count, max(1, code[..<end].count))
  }

  /// Where the name stands as a word of its own; the last place, as calls nest to the left.
  private func range(of name: String, in line: String) -> (start: Int, width: Int)? {
    let line = Array(line)
    let name = Array(name)
    guard !name.isEmpty, name.count <= line.count else { return nil }
    func isPart(_ index: Int) -> Bool {
      line.indices.contains(index)
        && (line[index].isLetter || line[index].isNumber || line[index] == "_")
    }
    let isWord = name[0].isLetter || name[0] == "_"
    for start in stride(from: line.count - name.count, through: 0, by: -1)
    where line[start..<(start + name.count)].elementsEqual(name) {
      if isWord, isPart(start - 1) || isPart(start + name.count) { continue }
      return (start, name.count)
    }
    return nil
  }

  /// The script's own lines of a traceback.
  private func calls(_ traceback: String) -> [String] {
    traceback.split(separator: "\n").dropFirst()
      .map { String($0.drop { $0 == "\t" }) }
      .filter { !$0.hasPrefix("[C]") && !$0.hasPrefix("(...") && !$0.hasPrefix("luath/") }
      .prefix(12).map { $0 }
  }
}
