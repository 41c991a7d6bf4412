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
  private let wasInterrupted = Atomic<Bool>(false)
  /// How often the run looks whether users are missing or the time is over.
  private static let pause = Duration.milliseconds(20)
  /// How many pauses are between two looks at the limits, whose percentiles take time.
  private static let pausesPerLook = 10

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

  /// The figures so far, for Prometheus.
  var metrics: PrometheusMetrics { LoadMetrics(tally: clock.tally, users: clock.users).metrics }

  /// A virtual user before it is loaded.
  private typealias Seat = (worker: Worker, recorder: LoadRecorder)

  /// The users, their threads, and why the run ended early; only `run` changes it.
  private struct Crew {
    var loops: [EventLoop] = []
    var seats: [Seat] = []
    /// Why no more users could be added.
    var problem: RunProblem?
    var abortedBy: Threshold?
  }

  /// Runs the journeys of the files with virtual users and returns the report.
  ///
  /// - Throws: `RunProblem` when the users, their threads or their rows cannot be created.
  func run(_ files: [PlannedFile]) async throws(RunProblem) -> LoadReport {
    var crew = Crew()
    let threads = max(1, min(settings.jobs, plan.firstUsers))
    for number in 1...threads { crew.loops.append(try TestRun.loop("load \(number)")) }
    crew.seats = try await seats(1...plan.firstUsers, on: crew.loops)
    if let data = plan.data, let seat = crew.seats.first {
      clock.fill(try await rows(data, on: seat.worker))
    }
    let turns = LoadTurns(files)
    // The watch arrives last, so that users can be added while it goes on.
    let line = Barrier(workers: crew.seats.count + 1)
    await withTaskGroup { group in
      let ready = Barrier(workers: crew.seats.count)
      for seat in crew.seats { add(seat, turns, ready, line, to: &group) }
      await watch(&crew, turns, line, &group)
      await line.arrive()
    }
    for (worker, _) in crew.seats { await worker.leavePlace() }
    for loop in crew.loops {
      loop.stop()
      loop.join()
    }
    clock.settle()
    return report(files, crew)
  }

  private func add(
    _ seat: Seat, _ turns: LoadTurns, _ ready: Barrier, _ line: Barrier,
    to group: inout TaskGroup<Void>
  ) {
    let current = turns.files.map { _ in CurrentFile() }
    self.current.withLock { $0 += current.map { (seat.worker.loop, $0) } }
    clock.join(1)
    group.addTask { [clock, plan, settings] in
      let (worker, recorder) = seat
      await LoopActor(worker.loop).run { actor in
        let user = VirtualUser(
          worker, recorder, clock, turns, plan, seed: settings.seed, actor, current)
        await user.prepare()
        await ready.arrive()
        clock.start()
        await user.run(worker.loop)
        await line.arrive()
        await user.leave()
      }
    }
  }

  /// Adds users, judges limits and ends journeys until all users have ended theirs.
  private func watch(
    _ crew: inout Crew, _ turns: LoadTurns, _ line: Barrier, _ group: inout TaskGroup<Void>
  ) async {
    var pauses = 0
    while clock.users > 0 {
      pauses += 1
      try? await Task.sleep(for: Self.pause)
      if pauses.isMultiple(of: Self.pausesPerLook) { clock.samples?.flush() }
      if clock.isRunning {
        if clock.needsUsers { await addUsers(&crew, turns, line, &group) }
        if let delay = plan.abortDelay, clock.measured > delay,
          pauses.isMultiple(of: Self.pausesPerLook), let missed = clock.missed(plan.thresholds)
        {
          crew.abortedBy = missed
          clock.stop()
        }
      } else if let grace = plan.grace, clock.now > clock.end + grace, !clock.isCut {
        cut()
      }
    }
  }

  /// Adds half as many users as there are.
  ///
  /// They share a new thread, because loading their files would stop other users of the same thread.
  private func addUsers(
    _ crew: inout Crew, _ turns: LoadTurns, _ line: Barrier, _ group: inout TaskGroup<Void>
  ) async {
    let count = crew.seats.count
    let number = min(max(1, count / 2), (plan.mostUsers ?? 0) - count)
    guard number > 0, crew.problem == nil else { return }
    do throws(RunProblem) {
      let loop = try TestRun.loop("load \(crew.loops.count + 1)")
      crew.loops.append(loop)
      let seats = try await seats((count + 1)...(count + number), on: [loop])
      crew.seats += seats
      line.join(number)
      let ready = Barrier(workers: number + 1)
      for seat in seats { add(seat, turns, ready, line, to: &group) }
      await ready.arrive()
    } catch {
      crew.problem = error
    }
  }

  private func seats(
    _ numbers: ClosedRange<Int>, on loops: [EventLoop]
  ) async throws(RunProblem) -> [Seat] {
    var seats: [Seat] = []
    for number in numbers {
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
      seats.append(
        (
          Worker(
            number: number, loop: loops[number % loops.count], place: place, hub: EventHub([]),
            tally: tally, settings: settings, read: read, recorder: recorder), recorder
        ))
    }
    return seats
  }

  /// Reads the rows of the run in a Lua state that has no script.
  private func rows(
    _ data: LoadPlan.Data, on worker: Worker
  ) async throws(RunProblem) -> [JSON] {
    let result = await LoopActor(worker.loop).run { actor -> Result<JSON, Failure> in
      do throws(Failure) {
        let script = Script(text: [], name: data.script ?? data.path, folder: nil)
        let file = try await OpenFile.open(
          script, context: worker.context, actor: actor, within: worker.limit, stuck: {})
        let arguments = [.string(data.path)] + (data.script.map { [JSON.string($0)] } ?? [])
        do throws(Failure) {
          let rows = try await file.value("rows", arguments, within: worker.limit)
          await file.close()
          return .success(rows)
        } catch {
          await file.close()
          throw error
        }
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let rows): return rows.array ?? []
    case .failure(let failure):
      throw RunProblem(
        failure.message.printable, hint: failure.hint, exit: ExitCode.notLoaded.rawValue)
    }
  }

  private func report(_ files: [PlannedFile], _ crew: Crew) -> LoadReport {
    var report = LoadReport(
      LoadReport.Setup(
        luath: plan.luath, started: plan.started, target: plan.target,
        files: files.map(\.script.name), vus: crew.seats.count,
        rate: plan.rate, stages: plan.stagesText, warmUp: plan.warmUp,
        model: plan.model, seed: UInt64(bitPattern: settings.seed), planned: plan.shape.duration),
      clock.tally, duration: clock.duration,
      wasInterrupted: wasInterrupted.load(ordering: .relaxed), thresholds: plan.thresholds)
    report.abortedBy = crew.abortedBy
    report.problem = crew.problem
    report.base = plan.base
    return report
  }

  /// Ends the current journeys early and begins no other.
  ///
  /// Their cleanup still runs.
  func interrupt() {
    wasInterrupted.store(true, ordering: .relaxed)
    cut()
  }

  private func cut() {
    tally.interrupt()
    clock.stop(isCut: true)
    for (loop, file) in current.withLock({ $0 }) { file.interrupt(on: loop) }
  }
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
