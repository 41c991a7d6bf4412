import HTTP
import Host
import Storage
import Synchronization
import System

/// A load run: virtual users on a few threads, each with its own Lua states and target.
final class LoadRun: Sendable {
  private let plan: LoadPlan
  private let settings: RunSettings
  private let clock: LoadClock
  /// This process among several that share the run.
  private let agent: LoadAgent?
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
    _ plan: LoadPlan, _ settings: RunSettings, _ agent: LoadAgent? = nil,
    read: @escaping @Sendable (String) -> [UInt8]?,
    makePlace: @escaping @Sendable () async throws(RunProblem) -> WorkerTarget
  ) {
    self.plan = plan
    self.settings = settings
    self.read = read
    self.makePlace = makePlace
    self.agent = agent
    clock = LoadClock(plan, agent?.share ?? .alone)
  }

  /// The current progress line.
  var progress: LoadProgress { LoadProgress(clock.tally, now: clock.now) }

  /// The figures so far, for Prometheus.
  var metrics: PrometheusMetrics { LoadMetrics(tally: clock.tally, users: clock.users).metrics }

  /// A virtual user before it is loaded.
  private typealias Seat = (number: Int, worker: Worker, recorder: LoadRecorder)

  /// The users, their threads, and why the run ended early; only `run` changes it.
  private struct Crew {
    var loops: [EventLoop] = []
    var seats: [Seat] = []
    /// Why no more users could be added.
    var problem: RunProblem?
    var abortedBy: Threshold?
    /// Why this agent does not belong to the run any more.
    var failure: RunProblem?
  }

  /// Runs the journeys of the files with virtual users and returns the report.
  ///
  /// - Throws: `RunProblem` when the users, their threads or their rows cannot be created.
  func run(_ files: [PlannedFile]) async throws(RunProblem) -> LoadReport {
    var crew = Crew()
    let users = clock.ownUsers
    let threads = max(1, min(settings.jobs, users))
    for number in 1...threads { crew.loops.append(try TestRun.loop("load \(number)")) }
    crew.seats = try await seats(0..<users, on: crew.loops)
    if let data = plan.data, let seat = crew.seats.first {
      let rows = try await rows(data, on: seat.worker)
      try requireEnough(rows)
      clock.fill(rows)
    }
    let turns = LoadTurns(files)
    // The watch arrives last, so that users can be added while it goes on.
    let line = Barrier(workers: crew.seats.count + 1)
    await withTaskGroup { group in
      let loaded = Barrier(workers: crew.seats.count + 1)
      let ready = Barrier(workers: crew.seats.count + 1)
      for seat in crew.seats { add(seat, turns, loaded, ready, line, to: &group) }
      await loaded.arrive()
      await begin(&crew)
      await ready.arrive()
      let following = follow()
      await watch(&crew, turns, line, &group)
      following?.cancel()
      await following?.value
      await line.arrive()
    }
    for seat in crew.seats { await seat.worker.leavePlace() }
    for loop in crew.loops {
      loop.stop()
      loop.join()
    }
    clock.settle()
    if let failure = crew.failure { throw failure }
    return await report(files, crew)
  }

  /// Starts the clock, at the time that all agents have agreed on.
  private func begin(_ crew: inout Crew) async {
    guard let agent else { return clock.start() }
    do throws(QueueProblem) {
      if let time = try await agent.ready(clock) { return clock.start(at: time) }
      crew.failure = RunProblem(
        "the run was interrupted before its start", hint: nil, exit: ExitCode.interrupted.rawValue)
    } catch {
      crew.failure = RunProblem(error)
    }
    clock.stop()
    clock.start()
  }

  /// Exchanges shares and figures with the other agents, if there are some.
  private func follow() -> Task<Void, Never>? {
    guard let agent else { return nil }
    return Task { [clock, plan] in
      await agent.follow(clock, plan) { self.wasInterrupted.load(ordering: .relaxed) }
    }
  }

  private func requireEnough(_ rows: [JSON]) throws(RunProblem) {
    guard let agent, rows.count < agent.count else { return }
    throw RunProblem(
      "--data has \(rows.count) rows, and each of the \(agent.count) agents needs one",
      hint: "give it more rows, or --agents a lower number", exit: ExitCode.usage.rawValue)
  }

  private func add(
    _ seat: Seat, _ turns: LoadTurns, _ loaded: Barrier, _ ready: Barrier, _ line: Barrier,
    to group: inout TaskGroup<Void>
  ) {
    let current = turns.files.map { _ in CurrentFile() }
    self.current.withLock { $0 += current.map { (seat.worker.loop, $0) } }
    clock.join(1)
    group.addTask { [clock, plan, settings] in
      let (number, worker, recorder) = seat
      await LoopActor(worker.loop).run { actor in
        let user = VirtualUser(
          worker, seat: number, recorder, clock, turns, plan, seed: settings.seed, actor, current)
        await user.prepare()
        await loaded.arrive()
        await ready.arrive()
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
        await addUsers(&crew, turns, line, &group)
        if pauses.isMultiple(of: Self.pausesPerLook), let missed = missed {
          crew.abortedBy = missed
          clock.stop()
        }
        if agent?.isLost == true {
          crew.failure = RunProblem(LoadAgent.replaced)
          cut()
        }
      } else if let grace = plan.grace, clock.now > clock.end + grace, !clock.isCut {
        cut()
      }
    }
  }

  /// The limit that ends the run; with several agents, one of them judges for all.
  private var missed: Threshold? {
    if let agent {
      return agent.stoppedBy.flatMap { text in plan.thresholds.first { $0.description == text } }
    }
    guard let delay = plan.abortDelay, clock.measured > delay else { return nil }
    return clock.missed(plan.thresholds, in: clock.tally)
  }

  /// Adds the users of an agent that is gone, or half as many as there are when none is free.
  ///
  /// They share a new thread, because loading their files would stop other users of the same thread.
  private func addUsers(
    _ crew: inout Crew, _ turns: LoadTurns, _ line: Barrier, _ group: inout TaskGroup<Void>
  ) async {
    let count = crew.seats.count
    var number = clock.ownUsers - count
    if number <= 0, clock.needsUsers {
      number = min(max(1, count / 2), clock.own(plan.mostUsers ?? 0) - count)
    }
    guard number > 0, crew.problem == nil else { return }
    do throws(RunProblem) {
      let loop = try TestRun.loop("load \(crew.loops.count + 1)")
      crew.loops.append(loop)
      let seats = try await seats(count..<(count + number), on: [loop])
      crew.seats += seats
      line.join(number)
      let ready = Barrier(workers: number + 1)
      for seat in seats { add(seat, turns, Barrier(workers: 1), ready, line, to: &group) }
      await ready.arrive()
    } catch {
      crew.problem = error
    }
  }

  private func seats(
    _ places: Range<Int>, on loops: [EventLoop]
  ) async throws(RunProblem) -> [Seat] {
    var seats: [Seat] = []
    for index in places {
      // The numbers of all agents differ.
      let number = (agent?.slot ?? 0) + 1 + index * (agent?.count ?? 1)
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
          index,
          Worker(
            number: number, loop: loops[index % loops.count], place: place, hub: EventHub([]),
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

  private func report(_ files: [PlannedFile], _ crew: Crew) async -> LoadReport {
    var team: LoadTeam?
    var problem = crew.problem
    do throws(QueueProblem) {
      team = try await agent?.finish(clock) { self.wasInterrupted.load(ordering: .relaxed) }
    } catch {
      problem = RunProblem(error)
    }
    var report = LoadReport(
      LoadReport.Setup(
        luath: plan.luath, started: plan.started, target: plan.target,
        files: files.map(\.script.name), vus: team?.users ?? crew.seats.count,
        rate: plan.rate, stages: plan.stagesText, warmUp: plan.warmUp,
        model: plan.model, seed: UInt64(bitPattern: settings.seed), planned: plan.shape.duration),
      team?.tally ?? clock.tally, duration: team?.duration ?? clock.duration,
      wasInterrupted: wasInterrupted.load(ordering: .relaxed), thresholds: plan.thresholds)
    report.abortedBy = crew.abortedBy
    report.problem = problem
    report.team = team
    report.lacksAgents = agent != nil && team == nil
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
