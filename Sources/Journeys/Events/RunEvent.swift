/// One event of a run; every report and trace is made from these.
///
/// Secrets are already removed: they are replaced where an event is created.
struct RunEvent: Sendable {
  /// What happened, with its details.
  enum Kind: Sendable {
    case runStart(RunStart)
    case fileStart(FileStart)
    case fileEnd(FileEnd)
    case journeyStart(JourneyStart)
    case stepStart(StepStart)
    case stepEnd(StepEnd)
    case exchange(ExchangeEvent)
    case page(PageEvent)
    case attachment(AttachmentEvent)
    case console(ConsoleEvent)
    case request(PageRequestEvent)
    case assert(AssertEvent)
    case log(LogEvent)
    case journeyEnd(JourneyEnd)
    case journeyResult(JourneyResult)
    case runEnd(RunEnd)
  }

  /// Milliseconds since the run began; for an exchange, when its request began.
  let at: Double
  /// The journey it belongs to; nil for events of the whole run or of a file.
  let place: EventSource?
  /// What happened, with its details.
  let kind: Kind

  init(at: Double, place: EventSource? = nil, _ kind: Kind) {
    self.at = at
    self.place = place
    self.kind = kind
  }
}

/// The journey, attempt and step that an event belongs to.
struct EventSource: Sendable, Equatable {
  /// The journey's id: `FILE > name > name`.
  var journey: String
  /// The attempt, from 1.
  var attempt: Int
  /// The number of the innermost open step; nil outside of steps.
  var step: Int?
}

/// How an attempt ended.
enum AttemptStatus: String, Sendable, CaseIterable {
  case passed, failed, skipped, pending, interrupted
}

/// How a journey ended, over all its attempts.
enum JourneyOutcome: String, Sendable, CaseIterable {
  case passed, failed
  /// Failed first and passed on a retry.
  case flaky
  case skipped, pending, interrupted
}

/// The run has begun.
struct RunStart: Sendable {
  /// The version of the event format.
  static let version = 1

  /// The project that the journeys run against.
  struct Target: Sendable {
    /// The name of the target, with its secrets removed.
    var name: String
    /// The id of the Firebase project.
    var projectID: String
    /// Whether the target is an emulator.
    var isEmulated: Bool
  }

  /// One part of a run that was split across machines.
  struct Shard: Sendable, Equatable {
    /// The index of the shard, from 1.
    var index: Int
    /// The number of shards.
    var count: Int
    /// Whether the shards share one list of journeys, so that each event file has some of all.
    var isShared = false
  }

  /// The version of luath.
  var luath: String
  /// When the run began, RFC 3339 in UTC.
  var started: String
  /// The seed of all random values.
  var seed: Int64
  var target: Target
  /// The number of workers.
  var jobs: Int
  /// The shard of a split run; nil for a whole run.
  var shard: Shard?
  /// How often a failed journey is retried.
  var retries: Int = 0
  /// How often each journey runs.
  var repeats: Int = 1
  /// The number of selected journeys; those of all shards if they share them.
  var journeys: Int
  /// The paths of the scripts.
  var files: [String]
  /// The command line arguments.
  var arguments: [String] = []
  /// Whether the events contain secrets, except those of the environment and the project file.
  var showsSecrets = false
  /// The options that a command needs to run one of the journeys again in the same way.
  var rerunOptions: [String] = []
}

/// A worker has started a file.
struct FileStart: Sendable {
  /// The path of the script.
  var file: String
  /// The number of the worker, from 1.
  var worker: Int
}

/// A worker has finished a file.
struct FileEnd: Sendable {
  /// The path of the script.
  var file: String
  /// The number of the worker, from 1.
  var worker: Int
  /// The duration in milliseconds.
  var duration: Double
  /// Failures outside of journeys: the file does not load, or a hook at its end failed.
  var failures: [Failure] = []
}

/// An attempt of a journey has started.
struct JourneyStart: Sendable {
  /// The number of the worker, from 1.
  var worker: Int
  /// The path of the script.
  var file: String
  /// The line of the declaration, from 1.
  var line: Int
  /// The names of the enclosing blocks, then the journey's name.
  var name: [String]
  /// The tags it can be selected by.
  var tags: [String] = []
  /// Whether another journey is declared at the same line, as in a loop.
  var sharesLine: Bool = false
}

/// An attempt of a journey has ended.
struct JourneyEnd: Sendable {
  /// How it ended.
  var status: AttemptStatus
  /// The duration in milliseconds.
  var duration: Double
  /// The failures, in order.
  var failures: [Failure] = []
  /// Whether another attempt follows.
  var willRetry: Bool = false
  /// Why it is skipped or pending.
  var reason: String?
}

/// The final outcome of a journey.
struct JourneyResult: Sendable {
  var outcome: JourneyOutcome
  /// The number of attempts.
  var attempts: Int
}

/// A step has started; its number is in the event's place.
struct StepStart: Sendable {
  /// The number of the enclosing step.
  var parent: Int?
  /// The name, with its secrets removed.
  var name: String
  /// The place in the script, as `file:line`.
  var source: String?
}

struct StepEnd: Sendable {
  /// How it ended.
  var status: AttemptStatus
  /// The duration in milliseconds.
  var duration: Double
}

/// An expectation failed.
struct AssertEvent: Sendable {
  /// Whether the journey continues.
  var isSoft: Bool
  /// The failed expectation.
  var failure: Failure
}

/// Output of the script, or a message of the runner.
struct LogEvent: Sendable {
  /// The source and severity of a message.
  enum Level: String, Sendable, CaseIterable {
    case print, info, warning
  }

  /// The source and severity of the message.
  var level: Level
  /// The message, which may have several lines.
  var text: String
}

struct RunEnd: Sendable {
  /// The duration in milliseconds.
  var duration: Double
  /// The number of journeys per outcome.
  var counts: [JourneyOutcome: Int]
  /// The exit code of the process.
  var exit: Int
  var wasInterrupted: Bool = false
  /// The ids of selected journeys that have no outcome.
  var notRun: [String] = []
  /// What the run did with its snapshots; nil for nothing.
  var snapshots: SnapshotSummary?
}

/// Why an attempt failed, with details to find the cause.
struct Failure: Error, Sendable {
  enum Kind: String, Sendable, CaseIterable {
    /// A failed expectation of the journey.
    case assertion
    /// An uncaught error.
    case error
    /// A failed hook or fixture around the journey.
    case hook
    case timeout
    /// A task that the journey left running, or whose failure nothing awaited.
    case task
    /// The script ended its Lua state: out of memory, `os.exit`.
    case stopped
  }

  /// The kind of failure.
  var kind: Kind
  var message: String
  /// The code, when luath raised the error.
  var code: String?
  /// What to do about it.
  var hint: String?
  /// The path of the script.
  var file: String?
  /// The line number in the script, from 1.
  var line: Int?
  /// The text of that line.
  var source: String?
  /// The expression in that line that was tested.
  var expression: String?
  /// The expected value, as text.
  var expected: String?
  /// The actual value, as text.
  var actual: String?
  /// Lines that begin with two blanks, `- ` (expected only) or `+ ` (actual only).
  var diff: [String] = []
  /// The names of the enclosing steps, outermost first.
  var steps: [String] = []
  /// The Lua traceback, innermost call first.
  var traceback: [String] = []
  /// The numbers of the last exchanges before the failure.
  var exchanges: [Int] = []
}
