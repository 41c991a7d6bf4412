/// The run has begun.
public struct RunStart: Sendable {
  /// The version of the event format.
  public static let version = 1

  /// The project that the journeys run against.
  public struct Target: Sendable {
    /// The name of the target, with its secrets removed.
    public var name: String
    /// The id of the Firebase project.
    public var projectID: String
    /// Whether the target is an emulator.
    public var isEmulated: Bool

    /// Creates a target.
    public init(name: String, projectID: String, isEmulated: Bool) {
      self.name = name
      self.projectID = projectID
      self.isEmulated = isEmulated
    }
  }

  /// One part of a run that was split across machines.
  public struct Shard: Sendable, Equatable {
    /// The index of the shard, from 1.
    public var index: Int
    /// The number of shards.
    public var count: Int

    /// Creates a shard.
    public init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// The version of luath.
  public var luath: String
  /// When the run began, RFC 3339 in UTC.
  public var started: String
  /// The seed of all random values.
  public var seed: Int64
  /// The target of the run.
  public var target: Target
  /// The number of workers.
  public var jobs: Int
  /// The shard of a split run; nil for a whole run.
  public var shard: Shard?
  /// How often a failed journey is retried.
  public var retries: Int
  /// How often each journey runs.
  public var repeats: Int
  /// The number of selected journeys.
  public var journeys: Int
  /// The paths of the scripts.
  public var files: [String]
  /// The command line arguments.
  public var arguments: [String]

  /// Creates the event.
  public init(
    luath: String, started: String, seed: Int64, target: Target, jobs: Int, shard: Shard? = nil,
    retries: Int = 0, repeats: Int = 1, journeys: Int, files: [String], arguments: [String] = []
  ) {
    self.luath = luath
    self.started = started
    self.seed = seed
    self.target = target
    self.jobs = jobs
    self.shard = shard
    self.retries = retries
    self.repeats = repeats
    self.journeys = journeys
    self.files = files
    self.arguments = arguments
  }
}

/// A worker has started a file.
public struct FileStart: Sendable {
  /// The path of the script.
  public var file: String
  /// The number of the worker, from 1.
  public var worker: Int

  /// Creates the event.
  public init(file: String, worker: Int) {
    self.file = file
    self.worker = worker
  }
}

/// A worker has finished a file.
public struct FileEnd: Sendable {
  /// The path of the script.
  public var file: String
  /// The number of the worker, from 1.
  public var worker: Int
  /// The duration in milliseconds.
  public var duration: Double
  /// Failures outside of journeys: the file does not load, or a hook at its end failed.
  public var failures: [Failure]

  /// Creates the event.
  public init(file: String, worker: Int, duration: Double, failures: [Failure] = []) {
    self.file = file
    self.worker = worker
    self.duration = duration
    self.failures = failures
  }
}

/// An attempt of a journey has started.
public struct JourneyStart: Sendable {
  /// The number of the worker, from 1.
  public var worker: Int
  /// The path of the script.
  public var file: String
  /// The line of the declaration, from 1.
  public var line: Int
  /// The names of the enclosing blocks, then the journey's name.
  public var name: [String]
  /// The tags it can be selected by.
  public var tags: [String]

  /// Creates the event.
  public init(worker: Int, file: String, line: Int, name: [String], tags: [String] = []) {
    self.worker = worker
    self.file = file
    self.line = line
    self.name = name
    self.tags = tags
  }
}

/// An attempt of a journey has ended.
public struct JourneyEnd: Sendable {
  /// How it ended.
  public var status: AttemptStatus
  /// The duration in milliseconds.
  public var duration: Double
  /// The failures, in order.
  public var failures: [Failure]
  /// Whether another attempt follows.
  public var willRetry: Bool
  /// Why it is skipped or pending.
  public var reason: String?

  /// Creates the event.
  public init(
    status: AttemptStatus, duration: Double, failures: [Failure] = [], willRetry: Bool = false,
    reason: String? = nil
  ) {
    self.status = status
    self.duration = duration
    self.failures = failures
    self.willRetry = willRetry
    self.reason = reason
  }
}

/// The final outcome of a journey.
public struct JourneyResult: Sendable {
  /// The outcome.
  public var outcome: JourneyOutcome
  /// The number of attempts.
  public var attempts: Int

  /// Creates the outcome of a journey.
  public init(outcome: JourneyOutcome, attempts: Int) {
    self.outcome = outcome
    self.attempts = attempts
  }
}

/// A step has started; its number is in the event's place.
public struct StepStart: Sendable {
  /// The number of the enclosing step.
  public var parent: Int?
  /// The name, with its secrets removed.
  public var name: String
  /// The place in the script, as `file:line`.
  public var source: String?

  /// Creates the event.
  public init(parent: Int? = nil, name: String, source: String? = nil) {
    self.parent = parent
    self.name = name
    self.source = source
  }
}

/// A step has ended.
public struct StepEnd: Sendable {
  /// How it ended.
  public var status: AttemptStatus
  /// The duration in milliseconds.
  public var duration: Double

  /// Creates the event.
  public init(status: AttemptStatus, duration: Double) {
    self.status = status
    self.duration = duration
  }
}

/// An expectation failed.
public struct AssertEvent: Sendable {
  /// Whether the journey continues.
  public var isSoft: Bool
  /// The failed expectation.
  public var failure: Failure

  /// Creates the event.
  public init(isSoft: Bool, failure: Failure) {
    self.isSoft = isSoft
    self.failure = failure
  }
}

/// Output of the script, or a message of the runner.
public struct LogEvent: Sendable {
  /// The source and severity of a message.
  public enum Level: String, Sendable, CaseIterable {
    case print, info, warning
  }

  /// The source and severity of the message.
  public var level: Level
  /// The message, which may have several lines.
  public var text: String

  /// Creates a message.
  public init(level: Level, text: String) {
    self.level = level
    self.text = text
  }
}

/// The run has ended.
public struct RunEnd: Sendable {
  /// The duration in milliseconds.
  public var duration: Double
  /// The number of journeys per outcome.
  public var counts: [JourneyOutcome: Int]
  /// The exit code of the process.
  public var exit: Int
  /// Whether the run was interrupted.
  public var wasInterrupted: Bool
  /// The ids of selected journeys that have no outcome.
  public var notRun: [String]

  /// Creates the event.
  public init(
    duration: Double, counts: [JourneyOutcome: Int], exit: Int, wasInterrupted: Bool = false,
    notRun: [String] = []
  ) {
    self.duration = duration
    self.counts = counts
    self.exit = exit
    self.wasInterrupted = wasInterrupted
    self.notRun = notRun
  }
}
