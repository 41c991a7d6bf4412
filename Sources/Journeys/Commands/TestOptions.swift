import Host
import System

enum RunOptions {
  static let options = [
    Option("jobs", "N", "run N files side by side; 1 when not given"),
    Option("timeout", "TIME", "stop a journey after this time; 60s when not given"),
    Option("memory", "SIZE", "stop a journey whose file takes more memory: 32M, 1G"),
    Option("retries", "N", "try a failed journey up to N times more; flaky when it passes then"),
    Option("fail-on-flaky", nil, "fail when a journey passed only after it was tried again"),
    Option("max-failures", "N", "begin no other journey when N have failed"),
    Option(
      "trace", "WHEN",
      "tell of exchanges and pages: all, on-failure (all of failed journeys) or off; when not"
        + " given, all where a report shows them, else the last before a failure",
      choices: ["all", "on-failure", "off"]),
    Option("dry-run", nil, "do everything but the journeys, which count as skipped"),
    Option(
      "seed", "NUMBER",
      "for everything random: --shuffle, the chances of --fault, math.random; 0 when not given"),
  ]

  static func settings(_ arguments: ParsedArguments) throws(UsageError) -> RunSettings {
    var settings = RunSettings()
    if let text = arguments.values["timeout"] {
      settings.timeout = try Quantity.time(text, "--timeout")
    }
    settings.jobs = try Quantity.count(arguments.values["jobs"], "--jobs", 1...256) ?? 1
    settings.retries = try Quantity.count(arguments.values["retries"], "--retries", 0...1000) ?? 0
    settings.maximumFailures = try Quantity.count(
      arguments.values["max-failures"], "--max-failures", 1...1_000_000)
    if let when = arguments.values["trace"] {
      guard let trace = TraceMode(rawValue: when), trace != .automatic else {
        throw UsageError("--trace takes all, on-failure or off, not '\(when.printable)'")
      }
      settings.trace = trace
    }
    settings.failsOnFlaky = arguments.flags.contains("fail-on-flaky")
    settings.isDry = arguments.flags.contains("dry-run")
    settings.seed = try ChoiceOptions.seed(arguments)
    return settings
  }
}

/// Parses `--report`, which takes a list.
enum ReportOption {
  static let kinds = ReportKind.allCases.map(\.rawValue).joined(separator: ", ")

  static let option = Option(
    "report", "KIND[:FILE]",
    "how to report, to a file or here, by commas or more than once: \(kinds); pretty when not given",
    isRepeatable: true, choices: ReportKind.allCases.map(\.rawValue))

  static func requests(_ arguments: ParsedArguments) throws(UsageError) -> [ReportRequest] {
    do throws(ReportProblem) {
      return try ReportRequest.all(arguments.list("report"))
    } catch {
      throw UsageError("--report: \(error.message)")
    }
  }

  /// The event sinks of the reports; they open their files when the run begins.
  static func sinks(_ requests: [ReportRequest], _ console: Console) -> sending [any EventSink] {
    let surroundings = surroundings(console)
    return requests.map { $0.sink(in: surroundings) }
  }

  static func surroundings(_ console: Console) -> ReportSurroundings {
    ReportSurroundings(
      environment: console.environment, columns: console.outputColumns, folder: console.folder,
      write: console.sendOutput)
  }
}

/// The options that select journeys and their order.
struct ChoiceOptions {
  static let options = [
    Option(
      "select", "EXPRESSION",
      "journeys by tags and names: \"merge and not (slow or '*browser*')\"; #TAG is only a tag"),
    Option("name", "TEXT", "journeys with this in their name; with * or ? a pattern for all of it"),
    Option("last-failed", nil, "journeys that failed when they ran last"),
    Option("shard", "I/N", "the I-th of N parts that take about the same time"),
    Option(
      "shuffle", "SEED", "files and journeys in an order of chance, by this seed if there is one",
      isValueAttached: true),
    Option("repeat", "N", "run each journey N times"),
    Option("forbid-only", nil, "refuse to run when a journey is marked only"),
    Option(
      "record", "FILE", "keep failures and durations there; .luath/tests.json when not given"),
    Option("list", nil, "show the journeys that would run, and run none"),
  ]

  var choice = JourneyChoice()
  let record: RecordFile
  let wantsLastFailed: Bool
  let forbidsOnly: Bool
  let isList: Bool

  init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    wantsLastFailed = arguments.flags.contains("last-failed")
    forbidsOnly = arguments.flags.contains("forbid-only")
    isList = arguments.flags.contains("list")
    if arguments.values["record"] == "" { throw UsageError("--record wants a file") }
    record =
      arguments.values["record"].map { RecordFile(path: console.whole($0)) }
      ?? RecordFile(workingFolder: console.folder)
    if let text = arguments.values["select"] {
      do throws(SelectionError) {
        choice.expression = try SelectionExpression(text)
      } catch {
        throw UsageError(
          "--select: \(error.message.printable)", excerpt: error.excerpt, hint: error.hint)
      }
    }
    choice.shuffleSeed = try Self.shuffleSeed(arguments)
    if arguments.values["name"] == "" { throw UsageError("--name wants a part of a name") }
    choice.name = arguments.values["name"].map(NameFilter.init)
    if let text = arguments.values["shard"] {
      do throws(Problem) {
        choice.shard = try Shard(text)
      } catch {
        throw UsageError("--shard: \(error.message.printable)", hint: error.hint)
      }
    }
    choice.repeats = try Quantity.count(arguments.values["repeat"], "--repeat", 1...100_000) ?? 1
  }

  private static func shuffleSeed(_ arguments: ParsedArguments) throws(UsageError) -> UInt64? {
    let isGiven = arguments.flags.contains("shuffle") || arguments.values["shuffle"] != nil
    return isGiven ? UInt64(try seed(arguments)) : nil
  }

  /// The seed for everything random; 0 if none is given.
  static func seed(_ arguments: ParsedArguments) throws(UsageError) -> Int64 {
    for name in ["shuffle", "seed"] {
      guard let text = arguments.values[name] else { continue }
      guard let seed = Int64(text), seed >= 0 else {
        throw UsageError("--\(name) takes a whole number from 0 to 2^63 - 1, not '\(text)'")
      }
      return seed
    }
    return 0
  }

  /// The arguments with a `--seed` for everything that reads it; random for `--shuffle` without a seed.
  static func seeded(_ arguments: ParsedArguments) throws(UsageError) -> ParsedArguments {
    var arguments = arguments
    if arguments.flags.contains("shuffle"), arguments.values["seed"] == nil {
      // Six digits are easy to type again.
      arguments.values["seed"] = String(Int64.random(in: 1...999_999))
    } else {
      arguments.values["seed"] = String(try seed(arguments))
    }
    return arguments
  }
}
