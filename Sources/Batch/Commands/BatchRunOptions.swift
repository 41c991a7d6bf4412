import HTTP
import Host

/// The options for running a plan or another run of its journal.
struct BatchRunOptions: Sendable {
  static let targetOptions = TargetOptions.options(
    named: "emulator:HOST:PORT, firebase (a real project), or a target of luath.lua",
    withoutTarget: BatchTarget.withoutOption)
  static let journalOptions = [
    Option("journal", "FILE", "the journal of the run", default: "PLAN.journal"),
    Option(
      "journal-key", "FILE",
      "a file with 32 bytes, which encrypt the data of accounts in the journal",
      default: "no encryption"),
  ]
  /// The option that selects a journal shared by several machines.
  static let queueOption = Option(
    "queue", "URL",
    "a journal in PostgreSQL, which several machines share: postgres://USER@HOST/DATABASE[#NAME], or the "
      + "variable with the address", default: "the journal is a file")
  /// The exit codes of the commands that run the rows of a plan.
  static let exits: [ExitCode: String] = [
    .ok: "all rows are done or skipped",
    .failed:
      "rows failed, are half done or were refused by the plan, or --max-errors ended the run; without "
      + "--execute, some rows could not be undone or finalized",
    .usage: "the command line is invalid, or the project or the journal does not fit the plan",
    .notLoaded:
      "the plan does not load: truncated, edited, of another version or not signed as required; or its "
      + "script has changed",
    .unavailable: "network, key, backend, journal or disk failed",
    .nothing: "the plan has no rows to run, or its run was undone",
    .interrupted:
      "Ctrl-C, SIGTERM or ctl drain stopped it, with rows left; the same command continues",
  ]
  /// The options for speed, limits and reports.
  static let paceOptions = [
    Option("concurrency", "N", "the number of calls at the same time", default: "64"),
    Option(
      "rate", "RATE",
      "at most so many changes per second: 200, or by the time of day: 22:00-06:00=400,50",
      default: "no limit"),
    Option(
      "min-rate", "N", "the lowest rate after throttling, in calls per second", default: "0.5"),
    Option(
      "max-errors", "N", "end after more failed rows than this: 20, 1% or off",
      default: "batch run ends above 20 rows and 5%, the others do not end"),
    Option(
      "limit", "N", "end after N rows; the same command continues with the next ones",
      default: "all rows"),
    Option("reason", "TEXT", "why the run is made, for its journal: TICKET-12", default: "none"),
    Option(
      "report", "KIND:FILE",
      "events:FILE gets a line of JSON for each step and row; html:FILE is a web page about the run",
      default: "none", isRepeatable: true),
    Option(
      "pace-url", "URL",
      "ask this address during the run: 429 and 503 pause it, 2xx continues it, {\"rate\": N} in the "
        + "response limits its rate", default: "none"),
    MetricsServer.option,
    Option(
      "on-start", "COMMAND|URL",
      "call this with JSON before the first call; if it fails, nothing is run", default: "none"),
    Option("on-failure", "COMMAND|URL", "call this when the run has failed", default: "none"),
    Option(
      "on-end", "COMMAND|URL", "call this when the run has ended, in any way", default: "none"),
    Option(
      "hook-timeout", "TIME", "stop a hook after this time, such as 10m", default: "30s"),
    Option(
      "timeout", "TIME", "stop an operation of the script after this time, such as 60s",
      default: "60s"),
    Option("trace", nil, "print a line for each HTTP exchange, without secrets"),
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
    let hookLimit = try arguments.values["hook-timeout"].map { text throws(UsageError) in
      try Quantity.time(text, "--hook-timeout")
    }
    var hooks: [BatchHook] = []
    for event in BatchHook.Event.allCases {
      guard let text = arguments.values[event.option] else { continue }
      var hook = try BatchHook(event, text)
      if let hookLimit { hook.limit = hookLimit }
      hooks.append(hook)
    }
    if hookLimit != nil, hooks.isEmpty {
      throw UsageError(
        "--hook-timeout needs a hook", hint: "--on-start, --on-failure or --on-end names one")
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
