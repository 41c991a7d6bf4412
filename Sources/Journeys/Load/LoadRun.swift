import HTTP
import Host
import Synchronization
import System

/// A load run: virtual users on a few threads, each with its own Lua states and target.
final class LoadRun: Sendable {
  private let plan: LoadPlan
  private let settings: RunSettings
  private let clock: LoadClock
  private let tally = RunTally(maximumFailures: nil)
  private let board = SharedRunState()
  private let read: @Sendable (String) -> [UInt8]?
  private let makePlace: @Sendable () async throws(RunProblem) -> WorkerTarget
  private let current = Mutex<[(loop: EventLoop, file: CurrentFile)]>([])

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - settings: `jobs` is the number of threads; retries are ignored.
  ///   - read: Returns the content of a script, for the source lines in failures.
  init(
    _ plan: LoadPlan, _ settings: RunSettings, read: @escaping @Sendable (String) -> [UInt8]?,
    makePlace: @escaping @Sendable () async throws(RunProblem) -> WorkerTarget
  ) {
    self.plan = plan
    self.settings = settings
    self.read = read
    self.makePlace = makePlace
    clock = LoadClock(plan)
  }

  /// The current progress line.
  var progress: LoadProgress { LoadProgress(clock.tally, now: clock.now) }

  /// Runs the journeys of the files with virtual users and returns the report.
  ///
  /// - Throws: `RunProblem` when the users or their threads cannot be created.
  func run(_ files: [PlannedFile]) async throws(RunProblem) -> LoadReport {
    let loops = try (1...max(1, min(settings.jobs, plan.users))).map {
      number throws(RunProblem) in try TestRun.loop("load \(number)")
    }
    let workers = try await workers(on: loops)
    let line = Barrier(workers: workers.count)
    let ready = Barrier(workers: workers.count)
    await withTaskGroup { group in
      for (number, (worker, recorder)) in workers.enumerated() {
        let current = files.map { _ in CurrentFile() }
        self.current.withLock { $0 += current.map { (worker.loop, $0) } }
        group.addTask { [clock] in
          await LoopActor(worker.loop).run { actor in
            let user = VirtualUser(number + 1, worker, recorder, clock, files, actor, current)
            await user.prepare()
            await ready.arrive()
            clock.start()
            await user.run(worker.loop)
            await line.arrive()
            await user.leave()
          }
        }
      }
    }
    let duration = clock.now
    for (worker, _) in workers { await worker.leavePlace() }
    for loop in loops {
      loop.stop()
      loop.join()
    }
    clock.settle()
    return report(files, duration: duration)
  }

  private func workers(
    on loops: [EventLoop]
  ) async throws(RunProblem) -> [(Worker, LoadRecorder)] {
    var workers: [(Worker, LoadRecorder)] = []
    for number in 1...plan.users {
      let place = try await makePlace()
      let recorder = LoadRecorder(
        clock, board,
        options: [
          "seed": .integer(settings.seed &+ Int64(number)), "worker": .integer(Int64(number)),
          "accounts": .array(settings.accounts), "isLoad": true,
          "isInside": .bool(place.isInside),
        ])
      let passwords = settings.accounts.compactMap { $0["password"]?.string }
      recorder.hide(place.context(recorder).settingsSecrets + passwords)
      workers.append(
        (
          Worker(
            number: number, loop: loops[number % loops.count], place: place, hub: EventHub([]),
            tally: tally, settings: settings, read: read, recorder: recorder), recorder
        ))
    }
    return workers
  }

  private func report(_ files: [PlannedFile], duration: Double) -> LoadReport {
    LoadReport(
      LoadReport.Setup(
        luath: plan.luath, started: plan.started, target: plan.target,
        files: files.map(\.script.name), vus: plan.users, rate: plan.rate,
        seed: UInt64(bitPattern: settings.seed), planned: plan.duration),
      clock.tally, duration: duration, wasInterrupted: tally.wasInterrupted,
      thresholds: plan.thresholds)
  }

  /// Ends the current journeys early and begins no other.
  ///
  /// Their cleanup still runs.
  func interrupt() {
    tally.interrupt()
    clock.stop()
    for (loop, file) in current.withLock({ $0 }) { file.interrupt(on: loop) }
  }
}

/// The settings of a load run: amount of load, duration, and thresholds.
struct LoadPlan: Sendable {
  /// The number of virtual users; in an open model, the maximum number of concurrent journeys.
  var users = 1
  /// How long new journeys begin, in milliseconds.
  var duration = 30_000.0
  /// Journeys that become due per second (open model).
  ///
  /// Nil for the closed model: each user begins the next journey when the last one has ended.
  var rate: Double?
  /// The limits that the run must meet.
  var thresholds: [Threshold] = []
  /// The target in the report.
  var target = RunStart.Target(name: "", projectID: "", isEmulated: false)
  /// When the run began, in RFC 3339.
  var started = ""
  /// The version of luath in the report.
  var luath = ""
}

/// A subject of latency counts: a journey, a step, or an endpoint.
struct LoadSubject: Sendable, Hashable {
  enum Kind: String, Sendable, CaseIterable {
    case journey, step, endpoint
  }

  /// The kind of subject.
  let kind: Kind
  /// The journey's full name, the step names joined by " > ", or the endpoint.
  let name: String
  /// The journey of a step; nil for other kinds.
  let journey: String?
  /// The path of the file of a journey or step; nil for an endpoint.
  let file: String?
  /// The line of the declaration of a journey, from 1.
  let line: Int?

  init(_ kind: Kind, _ name: String) {
    self.init(kind, name, journey: nil, file: nil, line: nil)
  }

  init(journey name: String, file: String, line: Int) {
    self.init(.journey, name, journey: nil, file: file, line: line)
  }

  init(step name: String, of journey: LoadSubject) {
    self.init(.step, name, journey: journey.name, file: journey.file, line: nil)
  }

  private init(_ kind: Kind, _ name: String, journey: String?, file: String?, line: Int?) {
    self.kind = kind
    self.name = name
    self.journey = journey
    self.file = file
    self.line = line
  }
}

/// The progress line of a load run.
struct LoadProgress: Sendable {
  /// The text, one line.
  let text: String

  init(_ tally: LoadTally, now: Double) {
    let last = tally.seconds.dropLast().last ?? LoadSecond(second: 0)
    text =
      "\(Int(now / 1000)) s  \(tally.journeys.count) journeys, \(tally.journeys.failed) failed  "
      + "\(last.requests) requests/s, p95 \(LoadReport.time(last.latency.p95))"
  }
}
