/// Formats a failure for the terminal: place, source line, expected and actual values, exchanges.
struct FailureText {
  let style: TextStyle

  /// Returns the lines; the first is the headline.
  ///
  /// - Parameter exchanges: One line for each known exchange of the attempt, by number.
  func lines(_ failure: Failure, exchanges: [Int: String] = [:]) -> [String] {
    let message = Self.headline(failure).reportLines
    var lines = [style.red(message[0])] + message.dropFirst().map { "  | \($0)" }
    if let source = failure.source {
      let number = (failure.line.map { "\($0) " } ?? "") + "| "
      lines += source.reportLines.prefix(1).map { "  \(number)\($0)" }
    }
    if let expression = failure.expression, failure.source?.contains(expression) != true {
      lines += labelled("in", expression)
    }
    if !failure.steps.isEmpty {
      lines += labelled("step", failure.steps.joined(separator: " > "))
    }
    lines += values(failure)
    lines += exchangeLines(failure, exchanges)
    if failure.traceback.count > 1 {
      lines.append("  called from:")
      lines += failure.traceback.flatMap { $0.reportLines.map { "    \(Self.harmless($0))" } }
    }
    if let hint = failure.hint { lines += labelled("hint", hint) }
    return lines
  }

  /// `file:line: code: message`.
  static func headline(_ failure: Failure) -> String {
    var place = ""
    if let file = failure.file { place = "\(file):\(failure.line.map { "\($0):" } ?? "") " }
    let kind =
      switch failure.kind {
      case .task: "in a task: "
      default: ""
      }
    return place + kind + (failure.code.map { "\($0): " } ?? "") + failure.message
  }

  private func values(_ failure: Failure) -> [String] {
    if !failure.diff.isEmpty {
      return ["  \(style.green("- expected")), \(style.red("+ actual")):"]
        + failure.diff.flatMap(\.reportLines).map { line in
          if line.hasPrefix("-") { return "    " + style.green(line) }
          return "    " + (line.hasPrefix("+") ? style.red(line) : Self.harmless(line))
        }
    }
    return (failure.expected.map { labelled("expected", $0) } ?? [])
      + (failure.actual.map { labelled("actual", $0) } ?? [])
  }

  private func exchangeLines(_ failure: Failure, _ known: [Int: String]) -> [String] {
    let lines = failure.exchanges.compactMap { known[$0] }
    return lines.isEmpty ? [] : ["  last exchanges:"] + lines.map { "    \($0.inOneLine)" }
  }

  /// Formats a value next to its label, with further lines below it.
  private func labelled(_ name: String, _ value: String) -> [String] {
    let lines = value.reportLines
    let margin = String(repeating: " ", count: name.count + 2)
    return ["  \(name): \(lines[0])"] + lines.dropFirst().map { "\(margin)| \($0)" }
  }

  /// Escapes a line that GitHub Actions would run: after blanks, `::` begins a workflow command.
  static func harmless(_ line: String) -> String {
    line.drop { $0 == " " }.hasPrefix("::") ? "| \(line)" : line
  }
}
