import System

/// Writes JUnit XML as Jenkins' `junit-10.xsd` has it, which other readers understand too.
///
/// Test cases have `file` and `line` in addition, which readers use for links and annotations. A
/// file is a suite. A failed expectation is a `failure`, anything else an `error`. Attempts that
/// were retried are `flakyFailure` or `rerunFailure`, as in Surefire.
final class JUnitSink: EventSink {
  let wantsExchanges = false
  let wantsEvidence = true
  private let output: ReportOutput
  private let path: (String) -> String
  private var recorder = JourneyRecords()
  private var start: RunStart?
  private var suites: [String: Suite] = [:]
  private var order: [String] = []
  /// The number of files with attachments.
  private var files = 0

  private struct Suite {
    var cases: [XMLElement] = []
    var failures = 0
    var errors = 0
    var skipped = 0
    var duration = 0.0
    var began: Double?
  }

  /// - Parameter path: Returns the path of a script from the root of the repository.
  init(_ output: ReportOutput, path: @escaping (String) -> String) {
    self.output = output
    self.path = path
  }

  func take(_ event: RunEvent) {
    if let journey = recorder.take(event) {
      let attachments = journey.attempts.flatMap(\.attachments).compactMap { attachment in
        output.writeBeside(attachment, &files).map { "[[ATTACHMENT|\($0)]]" }
          ?? attachment.leftOutNote.map { "\(attachment.name.inOneLine): \($0)" }
      }
      change(journey.file) { $0.cases.append(testcase(journey, attachments, &$0)) }
    }
    switch event.kind {
    case .runStart(let start):
      self.start = start
      output.begin()
    case .fileStart(let file): change(file.file) { $0.began = $0.began ?? event.at }
    case .fileEnd(let end) where !end.failures.isEmpty:
      change(end.file) { suite in
        var element = testcase(
          "(the file)", of: end.file, line: end.failures.first?.line, duration: 0)
        element.children = end.failures.map { Self.problem($0, [:], &suite) }
        suite.cases.append(element)
      }
    case .runEnd(let end):
      for journey in end.notRun.map(JourneyRecord.init) {
        change(journey.file) { suite in
          var element = testcase(
            journey.title, of: journey.file, line: journey.line, duration: 0)
          element.children = [XMLElement("skipped", [("message", "did not run")])]
          suite.cases.append(element)
          suite.skipped += 1
        }
      }
      output.write(document(end))
    default: break
    }
  }

  func end() throws(SinkError) { try output.close() }

  private func change(_ file: String, _ body: (inout Suite) -> Void) {
    if suites[file] == nil { order.append(file) }
    body(&suites[file, default: Suite()])
  }

  private func document(_ end: RunEnd) -> String {
    var root = XMLElement("testsuites")
    let all = suites.values
    root.attributes = [
      ("name", "luath"), ("time", Milliseconds.seconds(end.duration)),
      ("tests", "\(all.reduce(0) { $0 + $1.cases.count })"),
      ("failures", "\(all.reduce(0) { $0 + $1.failures })"),
      ("errors", "\(all.reduce(0) { $0 + $1.errors })"),
    ]
    root.children = order.compactMap { file in suites[file].map { element(file, $0) } }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + root.lines()
  }

  private func element(_ file: String, _ suite: Suite) -> XMLElement {
    var element = XMLElement(
      "testsuite",
      [
        ("name", file), ("tests", "\(suite.cases.count)"), ("failures", "\(suite.failures)"),
        ("errors", "\(suite.errors)"), ("skipped", "\(suite.skipped)"),
        ("time", Milliseconds.seconds(suite.duration)),
      ])
    if let start {
      let moment = EventClock(start).moment(suite.began ?? 0)
      element.attributes.append(("timestamp", Timestamp.text(milliseconds: moment)))
      element.attributes.append(("file", path(file)))
      var properties = XMLElement("properties")
      properties.children = [
        ("seed", "\(start.seed)"), ("target", start.target.name),
        ("project", start.target.projectID), ("luath", start.luath),
        ("showsSecrets", start.showsSecrets ? "true" : ""),
      ].filter { $0.0 != "showsSecrets" || !$0.1.isEmpty }.map {
        XMLElement("property", [("name", $0.0), ("value", $0.1)])
      }
      element.children.append(properties)
    }
    element.children += suite.cases
    return element
  }

  private func testcase(
    _ journey: JourneyRecord, _ attachments: [String], _ suite: inout Suite
  ) -> XMLElement {
    var element = testcase(
      journey.title, of: journey.file, line: journey.line, duration: journey.duration)
    suite.duration += journey.duration
    let tried = journey.attempts.dropLast()
    switch journey.outcome {
    case .passed: break
    case .skipped, .pending:
      suite.skipped += 1
      let reason = journey.reason.map { ": \($0)" } ?? ""
      let words = (journey.outcome?.rawValue ?? "") + reason
      element.children.append(XMLElement("skipped", [("message", words)]))
    case .flaky: element.children += tried.flatMap { Self.again($0, "flaky") }
    case .failed, .interrupted, nil:
      let last = journey.attempts.last
      // One `failure` or `error` per case, or readers count the case twice.
      element.children += journey.failures.prefix(1).map { first in
        Self.problem(first, last?.exchanges ?? [:], others: journey.failures.dropFirst(), &suite)
      }
      if journey.failures.isEmpty {
        suite.errors += 1
        let words = journey.outcome == .interrupted ? "it was interrupted" : "it failed"
        element.children.append(
          XMLElement("error", [("type", journey.outcome?.rawValue ?? ""), ("message", words)]))
      }
      element.children += tried.flatMap { Self.again($0, "rerun") }
    }
    let logs = journey.attempts.flatMap(\.logs).map(\.text) + attachments
    if !logs.isEmpty {
      element.children.append(XMLElement("system-out", text: logs.joined(separator: "\n")))
    }
    return element
  }

  private func testcase(
    _ name: String, of file: String, line: Int?, duration: Double
  ) -> XMLElement {
    // Readers build a tree from the parts between dots.
    let stem = file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
    let group = stem.split(separator: "/").filter { $0 != "." }.joined(separator: ".")
    let place = [("file", path(file))] + (line.map { [("line", "\($0)")] } ?? [])
    return XMLElement(
      "testcase",
      [("name", name), ("classname", group)] + place
        + [("time", Milliseconds.seconds(duration))])
  }

  private static func problem(
    _ failure: Failure, _ exchanges: [Int: String], others: ArraySlice<Failure> = [],
    _ suite: inout Suite
  ) -> XMLElement {
    let isFailure = failure.kind == .assertion
    if isFailure { suite.failures += 1 } else { suite.errors += 1 }
    return XMLElement(
      isFailure ? "failure" : "error", attributes(failure),
      text: ([failure] + others).map { FailureText.plain($0, exchanges: exchanges) }
        .joined(separator: "\n\n"))
  }

  private static func again(_ attempt: JourneyRecord.Attempt, _ prefix: String) -> [XMLElement] {
    attempt.failures.map { failure in
      var element = XMLElement(
        prefix + (failure.kind == .assertion ? "Failure" : "Error"), attributes(failure))
      element.children = [
        XMLElement("stackTrace", text: FailureText.plain(failure, exchanges: attempt.exchanges))
      ]
      return element
    }
  }

  private static func attributes(_ failure: Failure) -> [(name: String, value: String)] {
    [
      ("type", failure.code ?? failure.kind.rawValue),
      ("message", FailureText.headline(failure)),
    ]
  }
}

/// An element of an XML 1.0 document.
struct XMLElement {
  let name: String
  var attributes: [(name: String, value: String)]
  var children: [XMLElement] = []
  var text = ""

  init(_ name: String, _ attributes: [(name: String, value: String)] = [], text: String = "") {
    self.name = name
    self.attributes = attributes
    self.text = text
  }

  /// Returns the element and its children, indented.
  func lines(indent: String = "") -> String {
    var line = "\(indent)<\(name)"
    for (name, value) in attributes { line += " \(name)=\"\(Self.escaped(value, inValue: true))\"" }
    if children.isEmpty, text.isEmpty { return line + "/>\n" }
    line += ">\(Self.escaped(text))"
    guard !children.isEmpty else { return line + "</\(name)>\n" }
    return line + "\n" + children.map { $0.lines(indent: indent + "  ") }.joined()
      + "\(indent)</\(name)>\n"
  }

  /// Escapes markup; characters that XML 1.0 does not allow become U+FFFD.
  ///
  /// Line breaks in attribute values are escaped too, because parsers turn them into blanks (XML 1.0, 3.3.3).
  static func escaped(_ text: String, inValue: Bool = false) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: escaped += "&amp;"
      case 0x3C: escaped += "&lt;"
      case 0x3E: escaped += "&gt;"
      case 0x22: escaped += "&quot;"
      case 0x0D: escaped += "&#13;"
      case 0x09, 0x0A:
        if inValue {
          escaped += "&#\(scalar.value);"
        } else {
          escaped.unicodeScalars.append(scalar)
        }
      case 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...:
        escaped.unicodeScalars.append(scalar)
      default: escaped += "\u{FFFD}"
      }
    }
    return escaped
  }
}
