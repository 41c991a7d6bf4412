import HTTP
import Host

/// The options for running a plan or another run of its journal.
struct BatchRunOptions: Sendable {
  static let targetOptions = [
    Option("target", "NAME", "emulator:HOST:PORT, firebase, or a target of the project file"),
    Option("config", "FILE", "the app's configuration for firebase, as for luath run"),
    Option("project", "FILE", "the project file; otherwise the nearest luath.lua"),
  ]
  static let journalOptions = [
    Option("journal", "FILE", "the record of the run; PLAN.journal when not given"),
    Option("journal-key", "FILE", "32 bytes that encrypt what the record holds of accounts"),
  ]
  /// The option that selects a journal shared by several machines.
  static let queueOption = Option(
    "queue", "URL",
    "a record that machines share, one plan each: postgres://USER@HOST/DATABASE[#NAME], or a variable"
  )
  /// The options for speed, limits and reports.
  static let paceOptions = [
    Option("concurrency", "N", "calls under way at a time; 64 when not given"),
    Option(
      "rate", "RATE",
      "most calls a second that change something: 200, or by the time of day: 22:00-06:00=400,50"),
    Option(
      "min-rate", "N", "the lowest rate after throttling, in calls a second; 0.5 when not given"),
    Option(
      "max-errors", "N",
      "end when more rows than this have failed: 20, 1%, off; without it, run ends above 20 rows and 5%"
    ),
    Option("limit", "N", "end after N rows; the same command goes on with the next"),
    Option("reason", "TEXT", "why the run is made, for its record: TICKET-12"),
    Option(
      "report", "KIND:FILE",
      "events:FILE adds a line of JSON for each step and row; html:FILE is a page of the run",
      isRepeatable: true),
    Option(
      "pace-url", "URL",
      "ask this address: 429 and 503 hold the run, 2xx lets it go on, {\"rate\": N} at most at that rate"
    ),
    Option(
      "metrics", "[HOST:]PORT",
      "serve the figures of the run for Prometheus at /metrics; 0 for any port"),
    Option(
      "on-start", "COMMAND|URL",
      "call this before the first call, with JSON; if it fails, nothing is run"),
    Option("on-failure", "COMMAND|URL", "call this when the run has failed"),
    Option("on-end", "COMMAND|URL", "call this when the run has ended, in any way"),
    Option("timeout", "TIME", "stop an operation of the script's own after this time; 60s"),
    Option("trace", nil, "show one line for each HTTP exchange, without secrets"),
  ]

  var settings = BatchSettings()
  /// The journal's path; nil for the plan's own journal.
  let journal: String?
  let keyFile: String?
  let reason: String?
  let eventFile: String?
  let pageFile: String?
  let operationLimit: Duration
  let pace: PaceURL?
  let metrics: MetricsServer?
  let hooks: [BatchHook]
  /// Environment variables with secrets of luath itself, which hooks do not get.
  let hiddenVariables: Set<String>

  /// Reads the options; `errors` is the value without `--max-errors`.
  init(
    _ arguments: ParsedArguments, _ console: Console, errors: ErrorBudget = .unlimited
  ) throws(UsageError) {
    settings.errors = errors
    settings.concurrency =
      try Quantity.count(arguments.values["concurrency"], "--concurrency", 1...10_000)
      ?? settings.concurrency
    settings.rate = try arguments.values["rate"].map { text throws(UsageError) in
      try RateTimetable(text)
    }
    if let text = arguments.values["min-rate"] {
      guard case .rate(let rate?)? = BatchControl("rate=\(text)") else {
        throw UsageError("--min-rate takes calls a second from 0.01 to 1000000, not '\(text)'")
      }
      settings.slowestRate = rate
      if let timetable = settings.rate, rate > timetable.lowest {
        throw UsageError("--min-rate \(text) is above --rate", hint: "give it a lower one")
      }
    }
    settings.rows = try Quantity.count(arguments.values["limit"], "--limit", 1...1_000_000_000)
    if let text = arguments.values["max-errors"] {
      guard let budget = ErrorBudget(text) else {
        throw UsageError("--max-errors takes a number of rows, a percentage or off, not '\(text)'")
      }
      settings.errors = budget
    }
    journal = try Self.path("journal", arguments, console)
    keyFile = try Self.path("journal-key", arguments, console)
    reason = arguments.values["reason"].flatMap { $0.isEmpty ? nil : $0 }
    let reports = try Self.reports(arguments, console)
    eventFile = reports["events"]
    pageFile = reports["html"]
    operationLimit =
      try arguments.values["timeout"].map { text throws(UsageError) in
        try Quantity.time(text, "--timeout")
      } ?? .seconds(60)
    pace = try arguments.values["pace-url"].map { text throws(UsageError) in
      guard let url = WebURL(text) else {
        throw UsageError(
          "--pace-url takes an address such as https://status.example/luath",
          hint: "it begins with http:// or https://, and has no user name or password")
      }
      return PaceURL(url: url)
    }
    metrics = try arguments.values["metrics"].map { text throws(UsageError) in
      try MetricsServer(text)
    }
    var hooks: [BatchHook] = []
    for event in BatchHook.Event.allCases {
      guard let text = arguments.values[event.option] else { continue }
      hooks.append(try BatchHook(event, text))
    }
    self.hooks = hooks
    hiddenVariables = [
      "PGPASSWORD", arguments.values["queue"] ?? "PGPASSWORD", BatchSealCommand.variable,
    ]
  }

  /// The files that a run writes besides its journal.
  var outputs: [KeptFiles.Output] {
    [
      .init(option: "--report events:", path: eventFile),
      .init(option: "--report html:", path: pageFile),
    ]
  }

  private static func path(
    _ name: String, _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> String? {
    guard let text = arguments.values[name] else { return nil }
    guard !text.isEmpty else { throw UsageError("--\(name) needs a file") }
    return console.whole(text)
  }

  private static func reports(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> [String: String] {
    var paths: [String: String] = [:]
    for text in (arguments.lists["report"] ?? []).flatMap({ $0.split(separator: ",") }) {
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2, ["events", "html"].contains(parts[0]), !parts[1].isEmpty else {
        throw UsageError("--report takes events:FILE and html:FILE, not '\(text)'")
      }
      paths[parts[0]] = console.whole(parts[1])
    }
    return paths
  }
}
