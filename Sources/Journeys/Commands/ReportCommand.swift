import System
import Host

/// `luath report`: creates reports from event files, and merges the event files of shards.
enum ReportCommand {
  static let description = CommandDescription(
    name: "report", summary: "Makes reports from event files, and joins those of shards.",
    operands: "KIND[:FILE][,...]|merge EVENTS...",
    options: [
      Option(
        "report", "KIND[:FILE]",
        "further reports, separated by commas: \(ReportOption.kinds), or a reporter in Lua",
        default: "none", isRepeatable: true),
      Option(
        "output", "FILE", "the file for the report or the joined events", default: "standard output"
      ),
      Option(
        "record", "FILE",
        "with merge: write failures and durations to this record, which luath test --record reads",
        default: "no record"),
    ],
    examples: [
      "luath test --report json:events.ndjson; luath report junit events.ndjson",
      "luath report merge --output all.ndjson shard-1.ndjson shard-2.ndjson",
      "luath report merge --record .luath/tests.json shard-1.ndjson shard-2.ndjson",
      "luath report har:all.har --report tap:all.tap shard-1.ndjson shard-2.ndjson",
    ],
    note: "EVENTS are files that luath test --report json:FILE has written.",
    exits: [
      .ok: "the event files are complete",
      .failed:
        "a shard is missing or occurs twice, or a run has no end; luath writes the reports anyway",
      .notLoaded: "a file has no events or belongs to another run, or a reporter does not load",
      .unavailable: "a file cannot be read or written, or a reporter failed",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let names = Array(arguments.operands.dropFirst())
    guard let word = arguments.operands.first else {
      throw UsageError("luath report needs a kind: \(ReportOption.kinds), or merge")
    }
    guard !names.isEmpty else { throw UsageError("luath report \(word) needs event files") }
    let requests = try requests(word, arguments)
    let record = try record(word, arguments)
    do throws(CommandFailure) {
      let outputs = requests.compactMap(\.file) + (record.map { [$0] } ?? [])
      try FileIdentity.requireDistinct(
        outputs, inputs: names + requests.compactMap(\.script), console)
    } catch {
      return error.report(console)
    }
    return make(
      requests, of: names, record: record.map { RecordFile(path: console.whole($0)) },
      isMerge: word == "merge", console)
  }

  private static func requests(
    _ word: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> [ReportRequest] {
    var texts = word == "merge" ? ["json"] : ParsedArguments.items(word)
    if let file = arguments.values["output"] {
      guard texts.count == 1 else {
        throw UsageError("--output takes one report; KIND:FILE names a file for each of several")
      }
      guard !texts[0].contains(":") else {
        throw UsageError("\(word.printable) names its file already; leave --output out")
      }
      texts[0] += ":\(file)"
    }
    texts += arguments.list("report")
    do throws(ReportProblem) {
      let requests = try ReportRequest.all(texts)
      // Remove the default `pretty` report, which is added first when no other report goes to the terminal.
      return requests.count > texts.count ? Array(requests.dropFirst()) : requests
    } catch {
      throw UsageError(error.message)
    }
  }

  private static func record(
    _ word: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> String? {
    guard let file = arguments.values["record"] else { return nil }
    guard word == "merge" else { throw UsageError("--record is for luath report merge") }
    guard !file.isEmpty else { throw UsageError("--record takes a file") }
    return file
  }

  private static func make(
    _ requests: [ReportRequest], of names: [String], record: RecordFile?, isMerge: Bool,
    _ console: Console
  ) -> ExitStatus {
    do throws(CommandFailure) {
      let merge = try merge(try files(names, console), needsAllShards: isMerge)
      for doubt in merge.doubts where isMerge {
        console.warn(
          doubt.printable, hint: "they are joined; luath report KIND takes several runs")
      }
      for gap in merge.gaps {
        console.warn(gap, hint: "the reports contain what is there, and luath exits with 1")
      }
      var isWritten = try write(merge.events, to: requests, console)
      if let record, !update(record, with: merge.events, console) { isWritten = false }
      return .code(isWritten ? merge.gaps.isEmpty ? .ok : .failed : .unavailable)
    } catch {
      return error.report(console)
    }
  }

  /// The events of one run: of its event file, or of those of its shards.
  static func events(
    ofRun names: [String], _ console: Console
  ) throws(CommandFailure) -> [RunEvent] {
    let files = try files(names, console)
    do throws(EventFileError) {
      try EventMerge.requireOneRun(files)
    } catch {
      throw CommandFailure(
        .notLoaded, error.words, hint: "luath report html:FILE EVENTS... takes several runs")
    }
    return try merge(files, needsAllShards: false).events
  }

  private static func merge(
    _ files: [EventFile], needsAllShards: Bool
  ) throws(CommandFailure) -> EventMerge {
    do throws(EventFileError) {
      return try EventMerge(files, needsAllShards: needsAllShards)
    } catch {
      throw CommandFailure(.notLoaded, error.words, hint: "join the files of one run")
    }
  }

  private static func files(
    _ names: [String], _ console: Console
  ) throws(CommandFailure) -> [EventFile] {
    var files: [EventFile] = []
    for name in names {
      switch console.read(name, limit: 4 << 30) {
      case .failure(let problem):
        throw CommandFailure(
          .unavailable, "cannot read \(name.printable): \(problem.words)",
          hint: "check the path; it starts from \(console.folder)")
      case .success(let content):
        do throws(EventFileError) {
          files.append(try EventFile(name: name, content: content))
        } catch {
          throw CommandFailure(
            .notLoaded, error.words,
            hint: "an event file is what luath test --report json:FILE writes")
        }
      }
    }
    return files
  }

  /// Adds the outcomes of a run to a record.
  private static func update(
    _ file: RecordFile, with events: [RunEvent], _ console: Console
  ) -> Bool {
    var record = RunRecord()
    do throws(Problem) { record = try file.read() ?? record } catch {
      console.warn(error.message.printable, hint: error.hint)
    }
    record.note(events)
    do throws(Problem) { try file.write(record) } catch {
      console.report(error.message.printable, hint: error.hint)
      return false
    }
    return true
  }

  private static func write(
    _ events: [RunEvent], to requests: [ReportRequest], _ console: Console
  ) throws(CommandFailure) -> Bool {
    var isWritten = true
    for sink in try ReportOption.sinks(requests, console) {
      for event in events { sink.take(event) }
      do throws(SinkError) {
        try sink.end()
      } catch {
        console.report(error.message, hint: error.hint)
        isWritten = false
      }
    }
    return isWritten
  }
}

extension EventFileError {
  fileprivate var words: String {
    "\(file.printable)\(line.map { ":\($0)" } ?? ""): \(message.printable)"
  }
}
