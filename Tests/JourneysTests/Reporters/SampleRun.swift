@testable import System

@testable import Journeys

/// A made-up run in which everything happens once, for tests of reports.
enum SampleRun {
  static let start = RunStart(
    luath: "0.1.0", started: "2026-11-22T08:00:00.000Z", seed: 42,
    target: .init(name: "emulator", projectID: "demo", isEmulated: true), jobs: 1, retries: 1,
    journeys: 7, files: ["a_journey.lua", "b.lua"], arguments: ["--seed", "42"])

  static let wrongName = Failure(
    kind: .assertion, message: "the values differ", hint: "look at <both> & \"compare\"",
    file: "a_journey.lua", line: 12, source: "  expect.equal(user.name, \"Ada\")",
    expression: "expect.equal(user.name, \"Ada\")", expected: "\"Ada\"", actual: "\"Bob\u{1B}[2J\"",
    diff: [], steps: ["sign in", "look"], traceback: ["a_journey.lua:12: in f", "a.lua:3"],
    exchanges: [1, 2])
  static let lost = Failure(
    kind: .error, message: "no answer\nfrom the server", code: "networkError",
    file: "a_journey.lua",
    line: 30, diff: ["  {", "-   a = 1,", "+   a = 2,", "  }"])
  static let notLoaded = Failure(
    kind: .error, message: "unexpected symbol near '%'", file: "b.lua", line: 1)

  static let exchange = ExchangeEvent(
    exchange: 1, from: .script, to: .toolkit, operation: "accounts:signUp", method: "POST",
    url: "http://127.0.0.1:1/v1/accounts:signUp?key=…&a=b%20c", status: 400,
    protocolName: "HTTP/1.1", duration: 3.25,
    timings: .init(
      blocked: 0.1, dns: 0.2, connect: 0.3, tls: 0.4, send: 0.5, wait: 1.5, receive: 0.25),
    request: .init(
      headers: [("Content-Type", "application/json")],
      body: .init(mimeType: "application/json", size: 20, text: "{\"password\":\"…\"}")),
    response: .init(
      headers: [("Location", "/next"), ("Content-Type", "application/json")],
      body: .init(mimeType: "application/json", size: 9000, text: "{\"a\":", isTruncated: true)),
    tokens: [.init(kind: "idToken", header: ["alg": "none"], claims: ["sub": "u1"])])
  static let refused = ExchangeEvent(
    exchange: 2, from: .browser, to: .provider, method: "GET", url: "https://idp.example/",
    error: "refused", duration: 1)

  static let picture = AttachmentEvent(
    name: "failed <1>", type: "image/png", size: 9, content: .bytes([0x89, 0x50, 0x4E, 0x47]),
    isFailure: true, url: "https://idp.example/?code=[secret]", title: "Sign in",
    file: "/pages/001-fails/01-failed.png")
  static let tooLarge = AttachmentEvent(
    name: "dump", type: "text/plain", size: 9_000_000, content: .text("abc…"),
    note: "cut off at 1 MiB")

  static let events: [RunEvent] = {
    var at = 0.0
    func event(_ kind: RunEvent.Kind, _ name: String? = nil, _ attempt: Int = 1, step: Int? = nil)
      -> RunEvent
    {
      at += 1.5
      return RunEvent(
        at: at - 1.5,
        place: name.map { .init(journey: "a_journey.lua > \($0)", attempt: attempt, step: step) },
        kind)
    }
    func start(_ name: String, _ attempt: Int = 1, line: Int = 1) -> RunEvent {
      let parts = name.components(" > ")
      return event(
        .journeyStart(
          .init(worker: 1, file: "a_journey.lua", line: line, name: parts, tags: ["fast"])),
        name, attempt)
    }
    func end(
      _ name: String, _ status: AttemptStatus, _ failures: [Failure] = [], _ attempt: Int = 1,
      willRetry: Bool = false, reason: String? = nil
    ) -> RunEvent {
      event(
        .journeyEnd(
          .init(
            status: status, duration: 12, failures: failures, willRetry: willRetry, reason: reason)),
        name, attempt)
    }
    func result(_ name: String, _ outcome: JourneyOutcome, _ attempts: Int = 1) -> RunEvent {
      event(.journeyResult(.init(outcome: outcome, attempts: attempts)), name, attempts)
    }
    return [
      event(.runStart(Self.start)),
      event(.log(.init(level: .warning, text: "the state file was corrupt"))),
      event(.fileStart(.init(file: "a_journey.lua", worker: 1))),
      start("link > keeps # uid"),
      event(
        .stepStart(.init(name: "sign in", source: "a_journey.lua:3")), "link > keeps # uid", step: 1
      ),
      event(.stepStart(.init(parent: 1, name: "consent")), "link > keeps # uid", step: 2),
      event(
        .page(.init(from: .person, to: .browser, action: "press", detail: "Allow")),
        "link > keeps # uid", step: 2),
      event(.stepEnd(.init(status: .passed, duration: 2)), "link > keeps # uid", step: 2),
      event(.stepEnd(.init(status: .passed, duration: 4)), "link > keeps # uid", step: 1),
      end("link > keeps # uid", .passed), result("link > keeps # uid", .passed),
      start("fails", line: 10),
      event(.log(.init(level: .print, text: "hello\tworld")), "fails"),
      event(.exchange(exchange), "fails", step: 1), event(.exchange(refused), "fails", step: 1),
      event(.assert(.init(isSoft: true, failure: wrongName)), "fails"),
      event(.console(.init(level: "error", source: "javascript", text: "boom")), "fails"),
      event(
        .request(.init(method: "GET", url: "https://idp.example/x", type: "Script", status: 404)),
        "fails"),
      event(.attachment(picture), "fails"), event(.attachment(tooLarge), "fails"),
      end("fails", .failed, [wrongName, lost], willRetry: true),
      start("fails", 2, line: 10),
      end("fails", .failed, [lost], 2), result("fails", .failed, 2),
      start("wavers"), end("wavers", .failed, [wrongName], willRetry: true),
      start("wavers", 2), end("wavers", .passed, [], 2), result("wavers", .flaky, 2),
      start("left out"), end("left out", .skipped, reason: "no # server"),
      result("left out", .skipped),
      start("to come"), end("to come", .pending), result("to come", .pending),
      start("cut short"), end("cut short", .interrupted), result("cut short", .interrupted),
      event(.fileEnd(.init(file: "a_journey.lua", worker: 1, duration: 90))),
      event(.fileStart(.init(file: "b.lua", worker: 1))),
      event(.fileEnd(.init(file: "b.lua", worker: 1, duration: 1, failures: [notLoaded]))),
      event(
        .runEnd(
          .init(
            duration: 1234.5,
            counts: [.passed: 1, .failed: 1, .flaky: 1, .skipped: 1, .pending: 1, .interrupted: 1],
            exit: 130, wasInterrupted: true, notRun: ["a_journey.lua > link > never # came"]))),
    ]
  }()

  /// What a report of this kind writes of these events.
  static func report(
    _ kind: ReportKind, _ events: [RunEvent] = events, environment: [String: String] = [:],
    columns: Int? = nil
  ) throws -> String {
    let text = Written()
    let sink = kind.sink(
      ReportOutput {
        text.content += $0
        return 0
      },
      ReportSurroundings(environment: environment, columns: columns, folder: "/") { _ in 0 })
    for event in events { sink.take(event) }
    try sink.end()
    return text.content
  }

  private final class Written {
    var content = ""
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] { split(separator) }
}
