import System
import HTTP
import Host
import SignIn

/// Runs the journeys of one file on the thread of its worker's loop.
final class FileRun {
  let worker: Worker
  var file: PlannedFile
  let actor: LoopActor
  private let current: CurrentFile
  private(set) var open: OpenFile?
  /// Whether the emulated project has this file's state, which a journey with `keepsProject` may reuse.
  private var hasProject = false
  private var failures: [Failure] = []
  private var began = 0.0
  /// The row of the next journey in a load run.
  var row: JSON?
  /// What the user chose at a pause that ended the attempt.
  var chosen: PauseAnswer?
  /// How long states that are closed by now were paused.
  private var pausedBefore = Duration.zero

  /// How long the journeys of the file were paused in all.
  private var paused: Duration { pausedBefore + (open?.interpreter.pausedTime ?? .zero) }

  init(_ worker: Worker, _ file: PlannedFile, _ actor: LoopActor, _ current: CurrentFile) {
    self.worker = worker
    self.file = file
    self.actor = actor
    self.current = current
  }

  /// Runs the journeys.
  ///
  /// Returns true when the file must stay open because the whole run uses something it made; end it
  /// later with `end`.
  func run() async -> Bool {
    began = worker.now
    worker.note(file.script)
    worker.post(.fileStart(FileStart(file: file.script.name, worker: worker.id)))
    if let failure = file.failure { refuse(failure) }
    for journey in file.journeys where !worker.isOver { await run(journey) }
    if await leave() {
      current.set(nil)
      return true
    }
    await close()
    told()
    return false
  }

  /// Loads the file before its first journey.
  ///
  /// The first journey reports errors.
  ///
  /// - Parameter limit: Longer than that of a journey, because many files load at the same time.
  func prepare(within limit: Duration) async { _ = try? await opened(within: limit) }

  /// Ends the file and everything it made, and returns its failures.
  func finish() async -> [Failure] {
    if await leave() { await take(from: "close") }
    await close()
    return failures
  }

  /// Ends a file that stayed open after `run`.
  func end() async {
    current.set(open)
    await take(from: "close")
    await close()
    told()
  }

  private func told() {
    // Posts the exchanges of the file's hooks and fixtures after its last journey.
    worker.recorded(.passed)
    worker.post(
      .fileEnd(
        FileEnd(
          file: file.script.name, worker: worker.id, duration: worker.duration(since: began),
          failures: failures)))
  }

  private func refuse(_ failure: Failure) {
    failures.append(worker.showing(failure))
    worker.countFile(isLoaded: false)
  }

  // MARK: A journey

  private func run(_ planned: PlannedJourney) async {
    var journey = planned
    // Tears down the enclosing blocks of earlier journeys first, outside this journey's time limit and result.
    if journey.mark != .skip, journey.mark != .pending, !worker.isDry {
      await take(from: "prepare", Self.arguments(journey, attempt: 1))
    }
    var attempt = 1
    // The attempts that the user asked for at a pause count neither as retries nor as flaky.
    var asked = 0
    var end: JourneyEnd
    repeat {
      let place = EventSource(journey: journey.id, attempt: attempt)
      worker.post(
        .journeyStart(
          JourneyStart(
            worker: worker.id, file: journey.file, line: journey.line, name: journey.name,
            tags: journey.tags, sharesLine: journey.sharesLine)), at: place)
      let (began, before) = (worker.now, paused)
      end = await self.attempt(journey, place)
      // A user who looks around does not make the journey slow.
      let waited = EventHub.milliseconds(paused - before)
      end.duration = max(0, worker.duration(since: began + waited))
      worker.recorded(end.status)
      let tries = journey.retries.map { $0 + 1 } ?? worker.tries
      let choice = chosen.take()
      if choice == .abort { worker.interrupt() }
      end.willRetry =
        choice == .retry
        || end.status == .failed && attempt - asked < tries && !worker.wasInterrupted
      worker.post(.journeyEnd(end), at: place)
      guard end.willRetry else { break }
      attempt += 1
      if choice == .retry {
        asked += 1
        journey = await reread(journey)
      }
    } while true
    let outcome = JourneyOutcome(end.status, attempts: attempt - asked)
    worker.count(outcome, of: journey.id)
    worker.post(
      .journeyResult(JourneyResult(outcome: outcome, attempts: attempt)),
      at: EventSource(journey: journey.id, attempt: attempt))
  }

  /// Runs a journey once, on a fresh target unless the file keeps its project.
  func attempt(_ journey: PlannedJourney, _ place: EventSource) async -> JourneyEnd {
    switch journey.mark {
    case .skip: return JourneyEnd(status: .skipped, duration: 0, reason: journey.reason)
    case .pending: return JourneyEnd(status: .pending, duration: 0, reason: journey.reason)
    case .only, nil: break
    }
    if worker.isDry { return JourneyEnd(status: .skipped, duration: 0, reason: "--dry-run") }
    let goesOn = journey.keepsProject && hasProject
    if !goesOn { await worker.renewPlace(for: place) }
    hasProject = true
    worker.record(place, of: journey)
    let open: OpenFile
    do throws(Failure) {
      open = try await self.opened()
    } catch {
      await pauseWithoutFile(journey, error)
      return JourneyEnd(status: .failed, duration: 0, failures: [worker.showing(error)])
    }
    open.interpreter.renew(keepsProject: goesOn)
    return await attempt(journey, open, place.attempt)
  }

  /// Returns the arguments that identify a journey for the engine.
  private static func arguments(_ journey: PlannedJourney, attempt: Int) -> [JSON] {
    [
      .integer(Int64(journey.index)), .integer(Int64(attempt)),
      .array(journey.name.map(JSON.string)),
    ]
  }

  private func attempt(
    _ journey: PlannedJourney, _ open: OpenFile, _ number: Int
  ) async -> JourneyEnd {
    let limit = journey.timeout.map { Duration.microseconds(Int64($0 * 1e6)) } ?? worker.limit
    var end = JourneyEnd(status: .passed, duration: 0)
    var isBroken = false
    var wasCut = false
    var isLost = true
    let arguments = Self.arguments(journey, attempt: number) + (row.map { [$0] } ?? [])
    switch await open.call("run", arguments, within: limit) {
    case .returned(let result):
      isLost = false
      // A journey without a reported status counts as failed.
      if let status = result["status"]?.string.flatMap(AttemptStatus.init) {
        end.status = status
      } else {
        end.failures = [.silent]
      }
      end.reason = result["reason"]?.string
      end.failures += (result["failures"]?.array ?? []).map(Failure.init)
    case .failed(let failure): end.failures = [Failure(failure, kind: .error)]
    case .timedOut(let traceback, let tasks):
      wasCut = true
      end.failures =
        tasks.isEmpty
        ? [.overdue(limit).placed(by: traceback)] : tasks.map { .unfinished($0, within: limit) }
    case .cancelled: end.status = .interrupted
    case .stopped(let stop, let traceback):
      open.interpreter.revive()
      isBroken = true
      wasCut = true
      let failure = Failure(stop, within: limit).placed(by: traceback)
      if worker.wasInterrupted {
        end.status = .interrupted
        end.reason = failure.file.map { "stopped at \($0):\(failure.line ?? 1)" } ?? "stopped"
      } else {
        end.failures = [failure]
      }
    }
    for index in end.failures.indices { end.failures[index].exchanges = worker.lastExchanges }
    // Before hooks and fixtures close the pages.
    if !end.failures.isEmpty { await open.interpreter.recordPages("failed", .failure) }
    chosen = open.interpreter.chosen.take()
    if chosen == nil, let failure = end.failures.first, end.status != .interrupted {
      chosen = await pause(at: failure, journey, open)
    }
    let ended = await cleanUp(
      open, isLost: isLost, hasFailed: !end.failures.isEmpty, limit, &isBroken)
    if chosen == nil, end.failures.isEmpty, let failure = ended.failures.first,
      !ended.wasInterrupted
    {
      chosen = await pause(at: failure, journey, open)
    }
    for index in end.failures.indices
    where end.failures[index].steps.isEmpty && wasCut {
      end.failures[index].steps = ended.steps
    }
    end.failures += ended.failures
    if ended.wasInterrupted, end.status != .failed { end.status = .interrupted }
    if !end.failures.isEmpty, end.status != .interrupted { end.status = .failed }
    end.failures = end.failures.map(worker.showing)
    if isBroken { await abandon(open) }
    return end
  }

  /// Ends the journey's hooks, fixtures and tasks.
  ///
  /// Returns their failures and the steps it was stopped in.
  ///
  /// - Parameters:
  ///   - isLost: Whether the result of the journey did not arrive.
  ///   - hasFailed: Whether the journey has failed already, and its pages are recorded.
  private func cleanUp(
    _ open: OpenFile, isLost: Bool, hasFailed: Bool, _ limit: Duration, _ isBroken: inout Bool
  ) async -> Ended {
    var ended = await bringToEnd(open, "finish", [.bool(isLost)], within: limit)
    if ended.stops > 0 { isBroken = true }
    if !hasFailed, !ended.failures.isEmpty, !ended.wasInterrupted {
      await open.interpreter.recordPages("failed", .failure)
    } else {
      // Those of pages that stay open would be taken for the next journey's.
      await open.interpreter.recordPageLogs()
    }
    await sweep(open, &ended, &isBroken)
    return ended
  }

  /// The outcome of work that the engine ends one hook or fixture at a time.
  private struct Ended {
    var failures: [Failure] = []
    var steps: [String] = []
    /// The last response of the engine; nil when we gave up before it.
    var answer: JSON?
    var stops = 0
    var wasInterrupted = false
  }

  /// How many hooks and fixtures may be stopped before we give up on the rest.
  private static let mostStops = 5

  private func bringToEnd(
    _ open: OpenFile, _ function: String, _ arguments: [JSON] = [], within limit: Duration
  ) async -> Ended {
    var ended = Ended()
    var following: JourneyEnding?
    // One stopped hook does not end the cleanup, but after several we give up: each would cost its full timeout.
    repeat {
      let ending = following
      following = nil
      // The engine's own limit for each hook should expire first.
      let limit = ending.map { max($0.limit, .zero) + .milliseconds(500) } ?? limit
      let isLate = worker.wasInterrupted
      switch await open.call(function, arguments, within: limit) {
      case .returned(let result):
        ended.failures += (result["failures"]?.array ?? []).map(Failure.init)
        ended.steps += result["steps"]?.array?.compactMap(\.string) ?? []
        following = result["following"].flatMap(JourneyEnding.init)
        if following == nil {
          ended.answer = result
          return ended
        }
      case .failed(let failure): ended.failures.append(Failure(failure, kind: .hook))
      case .timedOut(_, let tasks) where !tasks.isEmpty:
        ended.failures += tasks.map { .unfinished($0, within: ending?.limit ?? limit) }
        // They are canceled by now; nothing had to be stopped.
        continue
      case .timedOut: ended.failures.append(.overdueEnd(limit, ending?.label))
      case .cancelled:
        ended.wasInterrupted = true
        ended.failures.append(.interruptedEnd(ending?.label))
      case .stopped(.stopped(.time), let traceback) where !isLate && worker.wasInterrupted:
        ended.wasInterrupted = true
        ended.failures.append(.interruptedEnd(ending?.label).placed(by: traceback))
        open.interpreter.revive()
      case .stopped(let stop, let traceback):
        ended.failures.append(
          Failure(stop, within: ending?.limit ?? limit).placed(by: traceback).named(ending?.label))
        open.interpreter.revive()
      }
      if following == nil { ended.stops += 1 }
    } while ended.stops < Self.mostStops
    return ended
  }

  private func sweep(
    _ open: OpenFile, _ ended: inout Ended, _ isBroken: inout Bool
  ) async {
    let left = await open.interpreter.sweep(within: .seconds(1))
    ended.failures += left.failures.map { Failure($0, kind: .task) }
    ended.failures += left.stuck.map(Failure.endless)
    if !left.stuck.isEmpty { isBroken = true }
  }

  // MARK: The Lua state

  private func opened(within limit: Duration? = nil) async throws(Failure) -> OpenFile {
    if let open { return open }
    return try await reopened(within: limit ?? worker.limit).file
  }

  /// Opens the file, and returns also the journeys that it declares.
  func reopened(
    within limit: Duration
  ) async throws(Failure) -> (file: OpenFile, journeys: [PlannedJourney]) {
    let made = try await OpenFile.open(
      file.script, context: worker.context, actor: actor, within: limit, current: current,
      stuck: { [worker] in worker.isStuck() })
    do throws(Failure) {
      // The engine collects the declarations of the file; a new state needs that again.
      let journeys = try await made.collect(file.script, within: limit)
      open = made
      current.set(made)
      return (made, journeys)
    } catch {
      await made.close()
      throw error
    }
  }

  /// Ends the blocks and fixtures of the file.
  ///
  /// Returns true when the run still needs something it made.
  private func leave() async -> Bool {
    await take(from: "leave")?["isKept"]?.bool ?? false
  }

  /// Ends a state that is no longer usable, and everything it made.
  ///
  /// The file continues with a new one.
  func abandon(_ open: OpenFile) async {
    open.interpreter.revive()
    if await leave() { await take(from: "close") }
    await close()
  }

  /// Calls a cleanup function of the engine and records its failures as those of the file.
  @discardableResult
  private func take(from function: String, _ arguments: [JSON] = []) async -> JSON? {
    guard let open else { return nil }
    var ended = await bringToEnd(
      open, function, arguments, within: max(worker.limit, .seconds(6)))
    ended.failures += open.interpreter.takeUnseenFailures().map { Failure($0, kind: .task) }
    if !ended.failures.isEmpty {
      failures += ended.failures.map(worker.showing)
      worker.countFile(isLoaded: true)
    }
    return ended.answer
  }

  private func close() async {
    current.set(nil)
    pausedBefore = paused
    let open = open
    self.open = nil
    await open?.close()
    // A new state makes the file's fixtures again, which must not collide with the old ones' accounts.
    hasProject = false
  }
}

extension JourneyOutcome {
  init(_ status: AttemptStatus, attempts: Int) {
    self =
      switch status {
      case .passed: attempts > 1 ? .flaky : .passed
      case .failed: .failed
      case .skipped: .skipped
      case .pending: .pending
      case .interrupted: .interrupted
      }
  }
}
