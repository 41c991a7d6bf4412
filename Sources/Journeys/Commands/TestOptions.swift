import Host
import SignIn
import Storage
import System

enum RunOptions {
  static let options = [
    Option("jobs", "N", "run N files at the same time", default: "1"),
    Option(
      "timeout", "TIME",
      "stop a journey after this time: 500ms, 30s, 5m; without a unit in seconds",
      default: "60s"),
    Option(
      "memory", "SIZE", "stop a journey if its file needs more memory, such as 32M or 1G",
      default: "no limit"),
    Option(
      "retries", "N", "run a failed journey up to N more times; it is flaky if it passes then",
      default: "0"),
    Option("fail-on-flaky", nil, "fail if a journey is flaky"),
    Option(
      "max-failures", "N", "start no further journey after N have failed", default: "no limit"),
    Option(
      "trace", "WHEN",
      "which exchanges and pages to report: all, on-failure (all those of failed journeys) or off",
      default: "all if a report shows them, otherwise the last before a failure",
      choices: ["all", "on-failure", "off"]),
    Option(
      "pictures", "WHEN",
      "when to record the picture and HTML of the pages in browsers: failure, step (also after each step) or off",
      default: "failure, if a report shows them", choices: ["failure", "step", "off"]),
    Option("pause", nil, "open the prompt where a journey fails, before it is cleaned up"),
    Option("step", nil, "open the prompt before each step of a journey"),
    Option(
      "show-secrets", nil,
      "show passwords, tokens and codes in reports; only for emulators on this machine"),
    Option(
      "update-snapshots", nil,
      "write the snapshots that differ or are missing, and remove obsolete ones in a run of all journeys"
    ),
    Option("dry-run", nil, "prepare everything, but run no journey; they count as skipped"),
    seed("the order of --shuffle, the probabilities of --fault, math.random"),
  ]

  /// `--seed` of a command.
  ///
  /// - Parameter uses: What is random in the command.
  static func seed(_ uses: String) -> Option {
    Option("seed", "NUMBER", "the seed for everything random: \(uses)", default: "0")
  }

  static func settings(_ arguments: ParsedArguments) throws(UsageError) -> RunSettings {
    var settings = RunSettings()
    if let text = arguments.values["timeout"] {
      settings.timeout = try Quantity.time(text, "--timeout")
    }
    settings.memory = arguments.values["memory"]
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
    if let when = arguments.values["pictures"] {
      settings.pages = PageRecorder.Moment(rawValue: when)
      guard settings.pages != nil || when == "off" else {
        throw UsageError("--pictures takes failure, step or off, not '\(when.printable)'")
      }
    }
    settings.failsOnFlaky = arguments.flags.contains("fail-on-flaky")
    settings.isDry = arguments.flags.contains("dry-run")
    settings.pauses = try pauses(arguments)
    settings.seed = try ChoiceOptions.seed(arguments)
    return settings
  }
}

extension RunOptions {
  /// When journeys pause by themselves.
  private static func pauses(_ arguments: ParsedArguments) throws(UsageError) -> PauseMode? {
    let flags = arguments.flags
    if flags.contains("pause"), flags.contains("step") {
      throw UsageError(
        "--pause and --step exclude each other", hint: "at a pause, .step goes on to the next step")
    }
    let mode: PauseMode? = flags.contains("pause") ? .failure : flags.contains("step") ? .step : nil
    if mode != nil, let other = ["dry-run", "list"].first(where: flags.contains) {
      throw UsageError("--\(other) runs no journey, so none can pause", hint: "leave one out")
    }
    return mode
  }
}

/// Parses `--report`, which takes a list.
enum ReportOption {
  static let kinds = names(ReportKind.allCases)

  static let option = option(ReportKind.allCases)

  /// The option of a command that has these kinds of reports.
  static func option(_ kinds: [ReportKind]) -> Option {
    Option(
      "report", "KIND[:FILE]",
      "write a report to a file or to standard output: \(names(kinds)), or a reporter in Lua, such as "
        + "./mine.lua; separate several by commas",
      default: "pretty", isRepeatable: true, choices: kinds.map(\.rawValue))
  }

  private static func names(_ kinds: [ReportKind]) -> String {
    kinds.map(\.rawValue).joined(separator: ", ")
  }

  static func requests(
    _ arguments: ParsedArguments, kinds: [ReportKind] = ReportKind.allCases
  ) throws(UsageError) -> [ReportRequest] {
    do throws(ReportProblem) {
      return try ReportRequest.all(arguments.list("report"), kinds: kinds)
    } catch {
      throw UsageError("--report: \(error.message)")
    }
  }

  /// The event sinks of the reports; they open their files when the run begins.
  ///
  /// - Throws: Why a reporter in Lua does not load.
  static func sinks(
    _ requests: [ReportRequest], _ console: Console, _ output: HeldOutput? = nil
  ) throws(CommandFailure) -> sending [any EventSink] {
    var surroundings = surroundings(console)
    if let output { surroundings.write = { output.write($0) } }
    var sinks: [any EventSink] = []
    let onOutput = requests.filter { $0.file == nil }
    if onOutput.count > 1 { sinks.append(try ReportWithAnnotations(onOutput, in: surroundings)) }
    for request in requests where onOutput.count == 1 || request.file != nil {
      sinks.append(try request.sink(in: surroundings))
    }
    return sinks
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
      "run the journeys whose tags and names match: \"merge and not (slow or '*browser*')\"; #TAG matches "
        + "only a tag", default: "all journeys"),
    Option(
      "name", "TEXT",
      "run the journeys with this in their names; with * or ? it is a pattern for the whole name",
      default: "all journeys"),
    Option("last-failed", nil, "run the journeys that failed when they ran last"),
    Option(
      "shard", "I/N", "run the I-th of N parts that take about the same time", default: "all parts"),
    Option(
      "queue", "URL",
      "with --shard, take files from a list in PostgreSQL that all shards share: "
        + "postgres://USER@HOST/DATABASE#RUN, or the variable with the address",
      default: "each shard has a fixed part"),
    Option(
      "shuffle", "SEED", "run files and journeys in random order, which SEED repeats",
      default: "the order of the files", isValueAttached: true),
    Option("repeat", "N", "run each journey N times", default: "1"),
    Option("forbid-only", nil, "fail if a journey is marked only"),
    Option("record", "FILE", "the file with failures and durations", default: ".luath/tests.json"),
    Option("list", nil, "list the journeys that would run, and run none"),
  ]

  var choice = JourneyChoice()
  let record: RecordFile
  let wantsLastFailed: Bool
  let forbidsOnly: Bool
  let isList: Bool
  /// The part that this process runs.
  let shard: Shard?

  /// Whether no option leaves journeys out.
  var takesAll: Bool {
    choice.expression == nil && choice.name == nil && shard == nil && !wantsLastFailed
  }

  init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    wantsLastFailed = arguments.flags.contains("last-failed")
    forbidsOnly = arguments.flags.contains("forbid-only")
    isList = arguments.flags.contains("list")
    if arguments.values["record"] == "" { throw UsageError("--record takes a file") }
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
    if arguments.values["name"] == "" { throw UsageError("--name takes a part of a name") }
    choice.name = arguments.values["name"].map(NameFilter.init)
    shard = try arguments.values["shard"].map { text throws(UsageError) in
      do throws(Problem) {
        return try Shard(text)
      } catch {
        throw UsageError("--shard: \(error.message.printable)", hint: error.hint)
      }
    }
    if arguments.values["queue"] == nil { choice.shard = shard }
    choice.repeats = try Quantity.count(arguments.values["repeat"], "--repeat", 1...100_000) ?? 1
  }

  /// The list of files that the shards of a test run share; nil if each has a fixed part.
  static func queue(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> PostgresAddress? {
    guard let text = try QueueOption.url(arguments, console) else { return nil }
    guard arguments.values["shard"] != nil else {
      throw UsageError(
        "--queue needs --shard, the number of the process",
        hint: "--shard 1/3 in the first of three, --shard 2/3 in the second")
    }
    if let other = ["watch", "ui", "list", "dry-run"].first(where: arguments.flags.contains) {
      throw UsageError("--queue shares one run, which --\(other) is not", hint: "leave one out")
    }
    do throws(QueueProblem) {
      return try PostgresAddress(text, .tests)
    } catch {
      throw UsageError(error.message, hint: error.hint)
    }
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
