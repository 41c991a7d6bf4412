import OIDC
import System

/// Writes results for Allure 2 and 3 into a folder: a file for each attempt of a journey, beside its attachments.
///
/// The folder may have results of other tools: only files that begin with `luath-` are removed when the run begins.
/// An exchange is an attachment of the step in which it was made, for Allure's own viewer of HTTP exchanges.
final class AllureSink: EventSink {
  let wantsExchanges = true
  private static let prefix = "luath-"

  private let output: ReportOutput
  private var records = JourneyRecords()
  private var start: RunStart?
  /// Exchanges of attempts that have not ended, by journey, attempt and step.
  private var exchanges: [String: [Int: [Int: [JSON]]]] = [:]
  private var attachments = 0

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    switch event.kind {
    case .runStart(let start):
      self.start = start
      output.removeInside(prefix: Self.prefix)
    case .exchange(let exchange):
      guard let place = event.place else { break }
      let source = attach(exchange.allureBody(clock?.moment(event.at) ?? 0), ending: "json")
      exchanges[place.journey, default: [:]][place.attempt, default: [:]][
        place.step ?? 0, default: []
      ].append(
        Self.attachment(
          exchange.operation ?? "\(exchange.method) \(exchange.url)", source,
          type: "application/vnd.allure.http+json"))
    default: break
    }
    for journey in records.takeTests(event) {
      let own = exchanges.removeValue(forKey: journey.id) ?? [:]
      for (index, attempt) in journey.attempts.enumerated() {
        write(attempt, number: index + 1, of: journey, own[index + 1] ?? [:])
      }
    }
  }

  func end() throws(SinkError) { try output.close() }

  private var clock: EventClock? { start.map(EventClock.init) }

  private func write(
    _ attempt: JourneyRecord.Attempt, number: Int, of journey: JourneyRecord,
    _ exchanges: [Int: [JSON]]
  ) {
    let id = Self.uuid("\(start?.started ?? "") \(start?.seed ?? 0) \(journey.id) \(number)")
    let test = Self.uuid(journey.id)
    var result: JSONObject = [
      "uuid": .string(id), "historyId": .string(test), "testCaseId": .string(test),
      "fullName": .string(journey.id), "name": .string(journey.title),
      "titlePath": .array(([journey.file] + journey.name.dropLast()).map { .string($0) }),
      "status": .string(Self.status(attempt)), "stage": "finished",
    ]
    result["statusDetails"] = details(attempt, isFlaky: journey.outcome == .flaky)
    setTimes(attempt.began, attempt.duration, in: &result)
    result["labels"] = .array(labels(journey))
    if let start {
      // Not part of what identifies a test between runs.
      let settings = [
        ("target", start.target.name), ("project", start.target.projectID),
        ("seed", "\(start.seed)"),
      ]
      result["parameters"] = .array(
        settings.map { ["name": .string($0.0), "value": .string($0.1), "excluded": true] })
    }
    result["steps"] = .array(steps(attempt.steps, within: nil, exchanges))
    let known = Set(attempt.steps.map(\.number))
    let outside = exchanges.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
    result["attachments"] = .array(outside.flatMap(\.value) + evidence(attempt))
    output.writeInside("\(Self.prefix)\(id)-result.json", JSON.object(result).encodedBytes())
  }

  private func steps(
    _ steps: [JourneyRecord.Step], within parent: Int?, _ exchanges: [Int: [JSON]]
  ) -> [JSON] {
    steps.filter { $0.parent == parent }.map { step in
      var json: JSONObject = [
        "name": .string(step.name), "status": .string(Self.status(step.status)),
        "stage": "finished",
      ]
      setTimes(step.began, step.duration, in: &json)
      json["steps"] = .array(self.steps(steps, within: step.number, exchanges))
      json["attachments"] = .array(exchanges[step.number] ?? [])
      return .object(json)
    }
  }

  private func evidence(_ attempt: JourneyRecord.Attempt) -> [JSON] {
    var all = attempt.attachments.compactMap { attachment -> JSON? in
      guard let bytes = attachment.bytes else { return nil }
      let source = attach(bytes, ending: attachment.ending)
      return Self.attachment(attachment.name, source, type: attachment.type)
    }
    if !attempt.logs.isEmpty {
      let text = attempt.logs.map { $0.text + "\n" }.joined()
      all.append(
        Self.attachment("output", attach(Array(text.utf8), ending: "txt"), type: "text/plain"))
    }
    return all
  }

  /// Writes an attachment; returns the name of its file.
  private func attach(_ bytes: [UInt8], ending: String) -> String {
    attachments += 1
    let id = Self.uuid("\(start?.started ?? "") \(start?.seed ?? 0) attachment \(attachments)")
    let plain = ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? ending : "bin"
    let name = "\(Self.prefix)\(id)-attachment.\(plain.prefix(16))"
    output.writeInside(name, bytes)
    return name
  }

  private func details(_ attempt: JourneyRecord.Attempt, isFlaky: Bool) -> JSON {
    var details: JSONObject = ["flaky": .bool(isFlaky)]
    if let first = attempt.failures.first {
      let texts = attempt.failures.map { FailureText.plain($0, exchanges: attempt.exchanges) }
      details["message"] = .string(FailureText.headline(first))
      details["trace"] = .string(texts.joined(separator: "\n\n"))
    } else if attempt.status != .passed {
      details["message"] = .string(attempt.reason ?? attempt.status?.rawValue ?? "interrupted")
    }
    return .object(details)
  }

  private func labels(_ journey: JourneyRecord) -> [JSON] {
    var labels = [("framework", "luath"), ("language", "lua"), ("suite", journey.file)]
    let blocks = journey.name.dropLast()
    if !blocks.isEmpty { labels.append(("subSuite", blocks.joined(separator: " > "))) }
    if let worker = journey.worker { labels.append(("thread", "worker \(worker)")) }
    labels += journey.tags.map { ("tag", $0) }
    return labels.map { ["name": .string($0.0), "value": .string($0.1)] }
  }

  private func setTimes(_ began: Double, _ duration: Double, in json: inout JSONObject) {
    guard let clock else { return }
    json["start"] = .integer(clock.moment(began))
    json["stop"] = .integer(clock.moment(began + duration))
  }

  /// A failed expectation is `failed`, any other failure `broken`.
  private static func status(_ attempt: JourneyRecord.Attempt) -> String {
    attempt.status == .failed && attempt.failures.first?.kind == .assertion
      ? "failed" : status(attempt.status)
  }

  private static func status(_ status: AttemptStatus?) -> String {
    switch status {
    case .passed: "passed"
    case .skipped, .pending: "skipped"
    case .failed, .interrupted, nil: "broken"
    }
  }

  private static func attachment(_ name: String, _ source: String, type: String) -> JSON {
    ["name": .string(name), "source": .string(source), "type": .string(type)]
  }

  /// An id in the form of a UUID, made from a text.
  private static func uuid(_ text: String) -> String {
    let digits = Array(Digest.sha256Hex(text))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }
}

extension ExchangeEvent {
  /// The exchange in the form that Allure's viewer of HTTP exchanges reads, version 1.
  ///
  /// - Parameter began: When the request began, in milliseconds since 1970.
  fileprivate func allureBody(_ began: Int64) -> [UInt8] {
    var sent: JSONObject = ["method": .string(method), "url": .string(url)]
    sent.add(request)
    var json: JSONObject = ["schemaVersion": 1, "request": .object(sent)]
    if let response, let status {
      var received: JSONObject = ["status": .integer(Int64(status))]
      received.add(response)
      json["response"] = .object(received)
    }
    if let error { json["error"] = ["name": "network error", "message": .string(error)] }
    json["start"] = .integer(began)
    json["stop"] = .integer(began + Milliseconds.whole(duration))
    return JSON.object(json).encodedBytes()
  }
}

extension JSONObject {
  fileprivate mutating func add(_ message: ExchangeEvent.Message) {
    self["headers"] = .array(
      message.headers.map { ["name": .string($0.name), "value": .string($0.value)] })
    guard let body = message.body else { return }
    var json: JSONObject = ["contentType": .string(body.mimeType), "encoding": "utf8"]
    if let text = body.text { json["value"] = .string(text) }
    json["size"] = .integer(Int64(body.size))
    json["truncated"] = .bool(body.isTruncated || body.text == nil)
    self["body"] = .object(json)
  }
}
