/// The run has begun.
public struct RunStart: Sendable {
  /// The version of the event stream.
  public static let version = 1

  /// Where the journeys run.
  public struct Target: Sendable {
    /// The name, as it may be shown.
    public var name: String
    /// The project at the target.
    public var projectID: String
    /// Whether the target is an emulator.
    public var isEmulated: Bool

    /// Describes a target.
    public init(name: String, projectID: String, isEmulated: Bool) {
      self.name = name
      self.projectID = projectID
      self.isEmulated = isEmulated
    }
  }

  /// One part of a run that was split over machines.
  public struct Shard: Sendable, Equatable {
    /// From 1.
    public var index: Int
    /// How many shards there are.
    public var count: Int

    /// Describes a shard.
    public init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// The version of the program.
  public var luath: String
  /// RFC 3339, in UTC.
  public var started: String
  /// What everything random comes from.
  public var seed: Int64
  /// Where the journeys run.
  public var target: Target
  /// How many workers there are.
  public var jobs: Int
  /// Which part of a split run this is; nil for a whole one.
  public var shard: Shard?
  /// How often a failed journey is tried again.
  public var retries: Int
  /// How often each journey is run.
  public var repeats: Int
  /// How many journeys are selected.
  public var journeys: Int
  /// The scripts.
  public var files: [String]
  /// What the command was given.
  public var arguments: [String]

  /// Describes the beginning of a run.
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

/// A worker begins with a file.
public struct FileStart: Sendable {
  /// The script.
  public var file: String
  /// From 1.
  public var worker: Int

  /// Describes the beginning of a file.
  public init(file: String, worker: Int) {
    self.file = file
    self.worker = worker
  }
}

/// A worker is done with a file.
public struct FileEnd: Sendable {
  /// The script.
  public var file: String
  /// The worker, from 1.
  public var worker: Int
  /// Milliseconds.
  public var duration: Double
  /// What failed outside of journeys: the file does not load, or a hook at its end failed.
  public var failures: [Failure]

  /// Describes the end of a file.
  public init(file: String, worker: Int, duration: Double, failures: [Failure] = []) {
    self.file = file
    self.worker = worker
    self.duration = duration
    self.failures = failures
  }
}

/// An attempt of a journey begins.
public struct JourneyStart: Sendable {
  /// The worker, from 1.
  public var worker: Int
  /// The script.
  public var file: String
  /// The line of the declaration, from 1.
  public var line: Int
  /// The names of the blocks around it, then its own.
  public var name: [String]
  /// The words it can be selected by.
  public var tags: [String]

  /// Describes the beginning of an attempt.
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
  /// Milliseconds.
  public var duration: Double
  /// What went wrong, in order.
  public var failures: [Failure]
  /// Whether another attempt follows.
  public var willRetry: Bool
  /// Why it was skipped or is pending.
  public var reason: String?

  /// Describes the end of an attempt.
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

/// What came of a journey in the end.
public struct JourneyResult: Sendable {
  /// What came of it.
  public var outcome: JourneyOutcome
  /// How often it was tried.
  public var attempts: Int

  /// Describes what came of a journey.
  public init(outcome: JourneyOutcome, attempts: Int) {
    self.outcome = outcome
    self.attempts = attempts
  }
}

/// A step begins; its number is the place's.
public struct StepStart: Sendable {
  /// The number of the step around it.
  public var parent: Int?
  /// The name, as it may be shown.
  public var name: String
  /// `file:line`.
  public var source: String?

  /// Describes the beginning of a step.
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
  /// Milliseconds.
  public var duration: Double

  /// Describes the end of a step.
  public init(status: AttemptStatus, duration: Double) {
    self.status = status
    self.duration = duration
  }
}

/// An expectation failed.
public struct AssertEvent: Sendable {
  /// Whether the journey goes on.
  public var isSoft: Bool
  /// What was expected in vain.
  public var failure: Failure

  /// Describes a failed expectation.
  public init(isSoft: Bool, failure: Failure) {
    self.isSoft = isSoft
    self.failure = failure
  }
}

/// The script printed something, or the runner has something to say.
public struct LogEvent: Sendable {
  /// Who speaks, and how urgently.
  public enum Level: String, Sendable, CaseIterable {
    case print, info, warning
  }

  /// Who speaks.
  public var level: Level
  /// What is said, which may have several lines.
  public var text: String

  /// Describes a line.
  public init(level: Level, text: String) {
    self.level = level
    self.text = text
  }
}

/// The run has ended.
public struct RunEnd: Sendable {
  /// Milliseconds.
  public var duration: Double
  /// How many journeys had each outcome.
  public var counts: [JourneyOutcome: Int]
  /// What the process answers its caller.
  public var exit: Int
  /// Whether somebody ended it early.
  public var wasInterrupted: Bool
  /// The ids of journeys that were to run and have no outcome.
  public var notRun: [String]

  /// Describes the end of a run.
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
