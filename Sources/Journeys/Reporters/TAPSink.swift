import System

/// Writes the Test Anything Protocol: one test per journey, its steps as a subtest, YAML for failures.
///
/// The version in the header can be chosen and changes nothing else: version 13 harnesses can read
/// TAP 14, but Perl's rejects it when the header says 14.
final class TAPSink: EventSink {
  let wantsExchanges = false
  private let output: ReportOutput
  private let version: Int
  private var recorder = JourneyRecords()
  private var count = 0
  private var journeys = RunCount()

  init(_ output: ReportOutput, version: Int) {
    self.output = output
    self.version = version
  }

  func take(_ event: RunEvent) {
    journeys.take(event)
    if let journey = recorder.take(event) { show(journey) }
    switch event.kind {
    case .runStart(let start):
      write(["TAP version \(version)", "# seed \(start.seed)"])
      if start.showsSecrets { write(Self.comment("this report shows secrets (--show-secrets)")) }
    case .fileEnd(let end) where !end.failures.isEmpty:
      count += 1
      write(["not ok \(count) - \(Self.escaped(end.file))"])
      write(block(["failures": .array(end.failures.map(Self.facts))]))
    case .log(let log) where event.place == nil: write(Self.comment(log.text))
    case .runEnd(let end):
      for journey in end.notRun {
        count += 1
        write(["ok \(count) - \(Self.escaped(journey)) # SKIP did not run"])
      }
      write([count == 0 ? "1..0 # no journey ran" : "1..\(count)"])
      if end.wasInterrupted {
        let missing = journeys.missing(end)
        let words = missing > 0 ? ", \(missing) did not run" : ""
        write(["Bail out! the run was interrupted\(words)"])
      }
    default: break
    }
  }

  func end() throws(SinkError) { try output.close() }

  private func show(_ journey: JourneyRecord) {
    count += 1
    let attempt = journey.attempts.last
    for log in attempt?.logs ?? [] { write(Self.comment(log.text)) }
    subtest(Self.escaped(journey.title), attempt?.steps ?? [], within: nil, indent: "")
    write([point(journey)])
    var facts: JSONObject = ["duration_ms": Self.milliseconds(journey.duration)]
    if journey.attempts.count > 1 {
      facts["attempts"] = .integer(Int64(journey.attempts.count))
      facts["outcome"] = .string(journey.outcome?.rawValue ?? "")
    }
    let failures = journey.attempts.flatMap(\.failures)
    if !failures.isEmpty { facts["failures"] = .array(failures.map(Self.facts)) }
    write(block(facts))
  }

  private func point(_ journey: JourneyRecord) -> String {
    let words = "\(count) - \(Self.escaped("\(journey.file) > \(journey.title)"))"
    let reason = journey.reason.map { " " + Self.escaped($0) } ?? ""
    switch journey.outcome {
    case .passed, .flaky: return "ok \(words)"
    case .skipped: return "ok \(words) # SKIP\(reason)"
    case .pending: return "not ok \(words) # TODO\(reason)"
    case .failed, .interrupted, nil: return "not ok \(words)"
    }
  }

  /// Writes the steps as a nested document, indented by four (TAP 14, "Subtests").
  private func subtest(
    _ name: String, _ steps: [JourneyRecord.Step], within parent: Int?, indent: String
  ) {
    let own = steps.filter { $0.parent == parent }
    guard !own.isEmpty, indent.utf8.count < 64 else { return }
    write(["\(indent)# Subtest: \(name)"])
    let deeper = indent + "    "
    for (index, step) in own.enumerated() {
      let name = Self.escaped(step.name)
      subtest(name, steps, within: step.number, indent: deeper)
      let mark = step.status == .passed ? "ok" : "not ok"
      write(["\(deeper)\(mark) \(index + 1) - \(name)"])
    }
    write(["\(deeper)1..\(own.count)"])
  }

  private func block(_ facts: JSONObject) -> [String] {
    ["  ---"] + YAMLBlock.lines(.object(facts)).map { "  \($0)" } + ["  ..."]
  }

  /// Returns the details of a failure.
  ///
  /// Lists become multi-line strings, because Perl's YAML reader takes `- a: b` for a mapping even
  /// where it is quoted.
  private static func facts(_ failure: Failure) -> JSON {
    var facts = JSONObject()
    for (key, value) in failure.json.object?.entries ?? [] where key != "exchanges" {
      switch value {
      case .array(let elements) where elements.isEmpty: continue
      case .array(let elements):
        let lines = elements.compactMap(\.string)
        facts[key] = short(lines.joined(separator: key == "steps" ? " > " : "\n"))
      case .string(let text): facts[key] = short(text)
      default: facts[key] = value
      }
    }
    return .object(facts)
  }

  /// Cuts a text at 4000 characters, because Perl's YAML reader fails on very long ones.
  private static func short(_ text: String) -> JSON {
    let limit = 4000
    guard text.utf8.count > limit, text.count > limit else { return .string(text) }
    return .string("\(text.prefix(limit))… (\(text.count - limit) more characters)")
  }

  private static func milliseconds(_ time: Double) -> JSON {
    .number((time * 1000).rounded() / 1000)
  }

  /// Escapes the characters that could begin a directive (TAP 14, "Escaping").
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.inOneLine.unicodeScalars {
      if character == "\\" || character == "#" { escaped += "\\" }
      escaped.unicodeScalars.append(character)
    }
    return escaped
  }

  private static func comment(_ text: String) -> [String] { text.reportLines.map { "# \($0)" } }

  private func write(_ lines: [String]) {
    output.write(lines.map { $0 + "\n" }.joined())
    output.flush()
  }
}

/// Writes JSON as block YAML 1.2, one line per member.
enum YAMLBlock {
  static func lines(_ json: JSON) -> [String] {
    switch json {
    case .object(let object) where !object.isEmpty:
      object.entries.flatMap { member("\($0.key):", $0.value) }
    case .array(let elements) where !elements.isEmpty: elements.flatMap { member("-", $0) }
    default: [scalar(json)]
    }
  }

  private static func member(_ head: String, _ value: JSON) -> [String] {
    switch value {
    case .object(let object) where !object.isEmpty:
      [head] + lines(value).map { "  \($0)" }
    case .array(let elements) where !elements.isEmpty:
      [head] + lines(value).map { "  \($0)" }
    default: ["\(head) \(scalar(value))"]
    }
  }

  /// Returns a scalar as JSON, which means the same in YAML 1.2.
  ///
  /// Control characters are replaced rather than escaped, because not every reader supports `\u`.
  private static func scalar(_ json: JSON) -> String {
    guard case .string(let text) = json else { return json.encoded() }
    return JSON.string(text.reportLines.joined(separator: "\n")).encoded()
  }
}
