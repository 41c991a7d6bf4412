import Host

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
    if Self.tellsMore(failure) {
      lines.append("  called from:")
      lines += failure.traceback.flatMap { $0.reportLines.map { "    \(Self.harmless($0))" } }
    }
    if let hint = failure.hint { lines += labelled("hint", hint) }
    return lines
  }

  /// The lines without colors, as one text.
  static func plain(_ failure: Failure, exchanges: [Int: String] = [:]) -> String {
    let style = TextStyle(columns: nil, environment: [:])
    return FailureText(style: style).lines(failure, exchanges: exchanges).joined(separator: "\n")
  }

  /// Whether the traceback has a line other than that of the failure.
  private static func tellsMore(_ failure: Failure) -> Bool {
    guard failure.traceback.count == 1 else { return failure.traceback.count > 1 }
    guard let file = failure.file, let line = failure.line, !failure.traceback[0].isEmpty else {
      return false
    }
    return !failure.traceback[0].hasPrefix("\(file):\(line):")
  }

  /// How many attachments of an attempt have lines.
  private static let mostAttachments = 10
  private static let longestName = 80

  /// Returns the lines about attachments that are saved in files of `--pages`, or left out.
  func lines(_ attachments: [AttachmentEvent]) -> [String] {
    // What failed comes first, because the rest may be cut.
    let ordered = attachments.filter(\.isFailure) + attachments.filter { !$0.isFailure }
    let told = ordered.compactMap { attachment in
      (attachment.file ?? attachment.leftOutNote).map { (attachment.name.inOneLine, $0.inOneLine) }
    }
    let lines = told.prefix(Self.mostAttachments).flatMap { name, words in
      labelled(
        name.count > Self.longestName ? "\(name.prefix(Self.longestName))…" : name, words)
    }
    let rest = told.count - Self.mostAttachments
    return lines + (rest > 0 ? ["  … and \(rest) more attachments"] : [])
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

extension String {
  /// The lines of the text without control characters; tabs become blanks.
  ///
  /// `##[` is split up, because GitHub Actions runs it as a command anywhere in a line.
  var reportLines: [String] {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { part in
      let line = String(Substring(part))
      if line.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "#") }) {
        return line
      }
      return String(line.map { $0 == "\t" ? " " : $0 }.filter { $0 != "\r" }).printable
        .split("##[").joined(separator: "## [")
    }
  }

  var inOneLine: String { reportLines.joined(separator: " ") }

  /// Splits the text at each occurrence of the separator.
  func split(_ separator: String) -> [String] {
    var parts: [String] = []
    var rest = Array(utf8)[...]
    let mark = Array(separator.utf8)
    var part: [UInt8] = []
    while let byte = rest.first {
      if rest.starts(with: mark) {
        parts.append(String(decoding: part, as: UTF8.self))
        part = []
        rest = rest.dropFirst(mark.count)
      } else {
        part.append(byte)
        rest = rest.dropFirst()
      }
    }
    return parts + [String(decoding: part, as: UTF8.self)]
  }
}

/// Formats times for display.
enum Milliseconds {
  /// Returns `0.8 ms`, `12 ms`, `1.24 s` or `3 min 5 s`.
  static func text(_ time: Double) -> String {
    switch time {
    case ..<9.95: "\(fixed(time, digits: 1)) ms"
    case ..<999.5: "\(fixed(time, digits: 0)) ms"
    case ..<59_995: "\(fixed(time / 1000, digits: 2)) s"
    default: "\(Int(time / 60_000)) min \(Int(time / 1000) % 60) s"
    }
  }

  /// Returns seconds with three decimals, as report formats require.
  static func seconds(_ time: Double) -> String { fixed(time / 1000, digits: 3) }

  /// Returns whole milliseconds, without fractions; 0 for times that are not finite.
  static func whole(_ time: Double) -> Int64 {
    time.isFinite && time > 0 ? Int64(min(time, 1e15)) : 0
  }

  private static func fixed(_ value: Double, digits: Int) -> String {
    guard value.isFinite, value > 0, value < 1e12 else { return digits == 0 ? "0" : zero(digits) }
    var factor = 1
    for _ in 0..<digits { factor *= 10 }
    let scaled = Int((value * Double(factor)).rounded())
    guard digits > 0 else { return String(scaled) }
    let rest = String(scaled % factor)
    return "\(scaled / factor)." + String(repeating: "0", count: digits - rest.count) + rest
  }

  private static func zero(_ digits: Int) -> String { "0." + String(repeating: "0", count: digits) }
}

/// Terminal colors, if enabled.
struct TextStyle {
  let isColoured: Bool

  /// Enables colors on a terminal that supports them.
  ///
  /// Any non-empty `NO_COLOR` disables them (no-color.org).
  init(columns: Int?, environment: [String: String]) {
    isColoured =
      columns != nil && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  func red(_ text: String) -> String { paint(text, "31") }
  func green(_ text: String) -> String { paint(text, "32") }
  func yellow(_ text: String) -> String { paint(text, "33") }
  func bold(_ text: String) -> String { paint(text, "1") }
  func dim(_ text: String) -> String { paint(text, "2") }

  /// Paints a text in the color of an outcome.
  func paint(_ text: String, _ outcome: JourneyOutcome?) -> String {
    switch outcome {
    case .passed: green(text)
    case .failed, .interrupted, nil: red(text)
    case .flaky, .pending: yellow(text)
    case .skipped: dim(text)
    }
  }

  private func paint(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
