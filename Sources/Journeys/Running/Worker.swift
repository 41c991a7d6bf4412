import Emulator
import HTTP
import Host
import Lua
import SignIn
import Synchronization
import System

/// Runs files of journeys one after the other, with its own event loop and target.
final class Worker: Sendable {
  private let number: Int
  let loop: EventLoop
  private let place: WorkerTarget
  private let hub: EventHub
  private let tally: RunTally
  private let settings: RunSettings
  private let recorder: any JourneyRecorder
  private let read: @Sendable (String) -> [UInt8]?
  /// The source of files in which failures occurred.
  private let sources = Mutex<[String: ShownSource]>([:])
  /// The source of each file of journeys as it was read; a file may be saved during the run.
  private let loaded = Mutex<[String: [UInt8]]>([:])
  /// The current attempt, and when it began.
  private let attempt = Mutex<(EventSource, Double)?>(nil)
  /// Called when a journey can be stopped only by ending the process.
  private let stuck: @Sendable (Worker) -> Void

  convenience init(
    number: Int, loop: EventLoop, place: WorkerTarget, hub: EventHub, board: SharedRunState,
    snapshots: SnapshotBook?, tally: RunTally, settings: RunSettings,
    read: @escaping @Sendable (String) -> [UInt8]?,
    stuck: @escaping @Sendable (Worker) -> Void
  ) {
    var options: JSONObject = [
      "seed": .integer(settings.seed), "worker": .integer(Int64(number)),
      "accounts": .array(settings.accounts), "isInside": .bool(place.isInside),
      "showsSecrets": .bool(hub.secrets.areShown),
    ]
    if let pauses = settings.pauses { options["pauses"] = .string(pauses.rawValue) }
    self.init(
      number: number, loop: loop, place: place, hub: hub, tally: tally, settings: settings,
      read: read,
      recorder: AttemptRecorder(
        hub, board: board, trace: settings.trace, pages: settings.pages, folder: place.pages,
        snapshots: snapshots, options: .object(options)),
      stuck: stuck)
  }

  init(
    number: Int, loop: EventLoop, place: WorkerTarget, hub: EventHub, tally: RunTally,
    settings: RunSettings, read: @escaping @Sendable (String) -> [UInt8]?,
    recorder: any JourneyRecorder, stuck: @escaping @Sendable (Worker) -> Void = { _ in }
  ) {
    self.stuck = stuck
    self.number = number
    self.loop = loop
    self.place = place
    self.hub = hub
    self.tally = tally
    self.settings = settings
    self.read = read
    self.recorder = recorder
  }

  /// Runs files until the queue is empty.
  ///
  /// Files that made something for the whole run are ended after all workers have finished theirs.
  func run(_ files: any FileSource, _ current: CurrentFile, _ finishLine: Barrier) async {
    await place.observeMessages { [recorder, hub] in
      recorder.acted(PageAction($0, hiding: hub.secrets))
    }
    await LoopActor(loop).run { actor in
      var kept: [FileRun] = []
      while let file = await files.next(unless: { self.tally.isOver }) {
        let run = FileRun(self, file, actor, current)
        if await run.run() { kept.append(run) }
        if self.tally.hasEnded(file) { await files.ended(file) }
      }
      await finishLine.arrive()
      for run in kept.reversed() { await run.end() }
    }
  }

  func leavePlace() async { await place.close() }

  /// Closes the target and ends the thread.
  func end() async {
    await leavePlace()
    loop.stop()
    loop.join()
  }

  // MARK: Used by FileRun

  var context: ScriptContext {
    var context = place.context(recorder)
    context.pauses = settings.pausePrompt
    return context
  }

  var pauses: PauseMode? { settings.pauses }

  /// Ends the run as Ctrl-C does.
  func interrupt() {
    tally.interrupt()
    hub.interrupt()
  }

  /// A file as it is now on the disk; nil when it cannot be read.
  func source(of file: String) -> [UInt8]? {
    sources.withLock { $0[file] = nil }
    loaded.withLock { $0[file] = nil }
    return read(file)
  }

  /// A failure as the terminal shows it, without secrets.
  func text(of failure: Failure) -> String {
    hub.secrets.learn()
    return hub.secrets.clean(
      FailureText.plain(showing(failure), exchanges: recorder.exchangeSummaries))
  }
  var limit: Duration { settings.timeout }
  var tries: Int { settings.retries + 1 }
  var isDry: Bool { settings.isDry }
  var id: Int { number }
  var isOver: Bool { tally.isOver }
  var wasInterrupted: Bool { tally.wasInterrupted }
  var now: Double { hub.now }

  func duration(since time: Double) -> Double { hub.duration(since: time) }

  func renewPlace(for attempt: EventSource) async {
    await place.renew(attempt)
  }

  func record(_ place: EventSource, of journey: PlannedJourney) {
    self.attempt.withLock { $0 = (place, hub.now) }
    recorder.begin(place, of: journey)
  }

  // MARK: Scripts that cannot be stopped

  func isStuck() { stuck(self) }

  /// Reports the current journey, or its file, as failed; called from another thread.
  func giveUp() {
    let failure = Failure(
      kind: .timeout, message: "it does not stop: it is inside a function of C or a finalizer",
      hint: "look for string.find with a costly pattern, io.read or __gc")
    guard let (place, began) = attempt.withLock({ $0.take() }) else {
      return post(.log(LogEvent(level: .warning, text: "a file \(failure.message)")))
    }
    recorder.end(.failed)
    let status = tally.wasInterrupted ? AttemptStatus.interrupted : .failed
    post(
      .journeyEnd(
        JourneyEnd(status: status, duration: hub.duration(since: began), failures: [failure])),
      at: place)
    let outcome = JourneyOutcome(status, attempts: place.attempt)
    count(outcome, of: place.journey)
    post(
      .journeyResult(JourneyResult(outcome: outcome, attempts: place.attempt)), at: place)
  }

  /// Posts the exchanges of the attempt that has ended.
  func recorded(_ status: AttemptStatus) {
    attempt.withLock { $0 = nil }
    recorder.end(status)
  }

  var lastExchanges: [Int] { recorder.lastExchanges }

  func post(_ kind: RunEvent.Kind, at place: EventSource? = nil) { hub.post(kind, at: place) }

  func count(_ outcome: JourneyOutcome, of journey: String) { tally.count(outcome, of: journey) }

  func countFile(isLoaded: Bool) { tally.countFile(isLoaded: isLoaded) }

  /// Marks the secrets in a script's source.
  func note(_ script: Script) {
    hub.secrets.note(source: script.text)
    loaded.withLock { $0[script.name] = script.text }
  }

  /// Completes a failure for reports: the memory limit and the source line.
  func showing(_ failure: Failure) -> Failure {
    failure.naming(memory: settings.memory).showing(shownSource)
  }

  /// Returns a script's source without its secrets, and marks those for all later messages.
  private func shownSource(_ file: String) -> ShownSource? {
    if let known = sources.withLock({ $0[file] }) { return known }
    guard let text = loaded.withLock({ $0[file] }) ?? read(file) else { return nil }
    hub.secrets.hide(source: text)
    let source = hub.secrets.shown(source: text)
    sources.withLock { $0[file] = source }
    return source
  }
}

extension PageAction {
  /// Describes a message; the label of its code stands for the code.
  fileprivate init(_ message: SentMessage, hiding secrets: RunSecrets) {
    let head = ["to \(message.recipient)", message.subject].compactMap(\.self)
    var text = message.text
    if !secrets.areShown {
      let kind = message.isEmail ? SecretKind.actionCode : .code
      text = text.replacing(message.code, with: secrets.masker.label(message.code, kind: kind))
    }
    self.init(
      from: .toolkit, to: .person, message.isEmail ? .email : .sms,
      "\(head.joined(separator: ": "))\n\(text)")
  }
}

/// The file that a worker has open, so that it can be interrupted.
///
/// Unchecked, because `OpenFile` is used only on its loop's thread, except for `interrupt`, which
/// is safe from any thread.
final class CurrentFile: @unchecked Sendable {
  private let file = Mutex<Int>(0)
  private var open: OpenFile?

  func set(_ open: OpenFile?) { file.withLock { _ in self.open = open } }

  /// Cancels what the file waits for, and stops the file if that is not enough.
  func interrupt(on loop: EventLoop) {
    file.withLock { _ in open?.interrupt() }
    loop.perform { [self] in file.withLock { _ in open }?.interpreter.cancelCall() }
  }
}

/// A barrier where the workers of a run wait for the last of them.
final class Barrier: Sendable {
  private struct State {
    var missing: Int
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(workers: Int) { state = Mutex(State(missing: workers)) }

  /// Waits for more workers; call it before the last one arrives.
  func join(_ workers: Int) { state.withLock { $0.missing += workers } }

  /// Returns when all workers have arrived.
  ///
  /// Call it once per worker.
  func arrive() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let released = state.withLock { state in
        state.missing -= 1
        state.waiting.append(continuation)
        guard state.missing <= 0 else { return [UnsafeContinuation<Void, Never>]() }
        defer { state.waiting = [] }
        return state.waiting
      }
      for one in released { one.resume() }
    }
  }
}

/// The results of a run so far, and whether it goes on.
final class RunTally: Sendable {
  struct State {
    var counts: [JourneyOutcome: Int] = [:]
    /// The ids of the journeys that have an outcome.
    var ended: Set<String> = []
    /// Loaded files that have failures outside of journeys.
    var brokenFiles = 0
    var unloadedFiles = 0
    var wasInterrupted = false
    var maximumFailures: Int?

    var hasFailed: Bool { counts[.failed, default: 0] > 0 || brokenFiles > 0 }
  }

  private let state: Mutex<State>

  init(maximumFailures: Int?) { state = Mutex(State(maximumFailures: maximumFailures)) }

  var now: State { state.withLock { $0 } }

  /// Whether no further journey may begin.
  var isOver: Bool {
    state.withLock { state in
      state.wasInterrupted
        || state.maximumFailures.map { state.counts[.failed, default: 0] >= $0 } ?? false
    }
  }

  var wasInterrupted: Bool { state.withLock(\.wasInterrupted) }

  /// Whether all journeys of a file have run to their end.
  func hasEnded(_ file: PlannedFile) -> Bool {
    state.withLock { state in
      !state.wasInterrupted && file.journeys.allSatisfy { state.ended.contains($0.id) }
    }
  }

  func interrupt() { state.withLock { $0.wasInterrupted = true } }

  func count(_ outcome: JourneyOutcome, of journey: String) {
    state.withLock { state in
      state.counts[outcome, default: 0] += 1
      state.ended.insert(journey)
    }
  }

  func countFile(isLoaded: Bool) {
    state.withLock { state in
      if isLoaded { state.brokenFiles += 1 } else { state.unloadedFiles += 1 }
    }
  }
}
