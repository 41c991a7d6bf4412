public import HTTP
import Lua
import System

/// Where a journey or script is paused, and why.
public struct PauseSpot: Sendable {
  /// The kinds of pauses.
  public enum Reason: String, Sendable {
    /// The script called `luath.pause` or `j:pause`.
    case call
    /// A step is about to begin.
    case step
    /// The journey has failed.
    case failure
  }

  /// Why it is paused.
  public var reason: Reason
  /// The name of the journey, with those of the blocks around it; empty in a script.
  public var journey: [String] = []
  /// The names of the steps around the place, outermost first.
  public var steps: [String] = []
  /// The name of the step that is about to begin; nil at other pauses.
  public var next: String?
  /// The file as the script's errors name it; nil if no line of the script is known.
  public var file: String?
  /// The line in the file.
  public var line: Int?
  /// The failure, as reports print it; nil without one.
  public var failure: String?
  /// The number of the pause in the Lua library, which has its coroutine; nil where the journey has failed.
  public var number: Int?

  /// Creates a spot of which only the reason is known.
  public init(_ reason: Reason) { self.reason = reason }

  /// Takes the spot that the Lua library describes.
  init(_ json: JSON) {
    reason = json["reason"]?.string.flatMap(Reason.init) ?? .call
    journey = json["journey"]?.array?.compactMap(\.string) ?? []
    steps = json["steps"]?.array?.compactMap(\.string) ?? []
    next = json["next"]?.string
    number = json["number"]?.integer.map(Int.init)
    file = json["file"]?.string
    line = json["line"]?.integer.map(Int.init)
  }
}

/// What the user chose at a pause.
public enum PauseAnswer: String, Sendable {
  case goOn = "continue"
  /// Goes on to the next step.
  case step
  /// Runs the journey again, from a file that is read again.
  case retry
  /// Ends the run.
  case abort
}

/// What the prompt of a pause does with the output of its command.
public struct PauseOutput: Sendable {
  /// A text without the secrets of the run.
  public var clean: @Sendable (String) -> String
  /// Masks texts in all later output.
  public var hide: @Sendable ([String]) -> Void
  /// Keeps other output off the terminal, or lets it pass again.
  public var hold: @Sendable (_ isHeld: Bool) -> Void

  /// By default no other output is held back.
  public init(
    clean: @escaping @Sendable (String) -> String, hide: @escaping @Sendable ([String]) -> Void,
    hold: @escaping @Sendable (_ isHeld: Bool) -> Void = { _ in }
  ) {
    self.clean = clean
    self.hide = hide
    self.hold = hold
  }
}

/// Makes the prompt for the pauses of a command; nil where nobody can type, as without a terminal.
public typealias PausePromptMaker = @Sendable (Console, PauseOutput) -> (any PausePrompt)?

/// Opens the prompt in a paused state; the program provides it, as the prompt is above this module.
public protocol PausePrompt: AnyObject, Sendable {
  /// Lets the user type until they choose how to go on; called on the thread of the interpreter's loop.
  ///
  /// Other pauses of the process wait meanwhile.
  func open(in interpreter: Interpreter, at spot: PauseSpot) async -> PauseAnswer

  /// Ends all pauses, open and future ones, with `abort`; from any thread.
  func end()

  /// Restores the modes of the terminal, for a process that ends at once.
  func restoreTerminal()
}

/// Pauses of a state, in which its time limits stand still.
extension Interpreter {
  /// The event loop of this state.
  public var loop: EventLoop { actor.loop }

  /// How long the state has been paused in all.
  public var pausedTime: Duration { pauses.elapsed }

  /// Pauses the state, and returns what the user chose.
  ///
  /// The user's entries run as calls of their own, beside the call that is paused.
  public func pause(at spot: PauseSpot) async -> PauseAnswer {
    guard let pausePrompt = context.pauses, !pauses.isPaused else { return .goOn }
    let outer = (call: called, clock: ownTime, stop: onStop, idle: onIdle, gates: idleGates)
    pauses.begin(holding: jobs)
    onPause?(true)
    // A stop of what the user runs must not end what waits for the script.
    (called, onIdle, idleGates) = (nil, nil, [])
    let answer = await pausePrompt.open(in: self, at: spot)
    (called, ownTime, onStop, onIdle) = (outer.call, outer.clock, outer.stop, outer.idle)
    idleGates += outer.gates
    onPause?(false)
    pauses.end()
    return answer
  }

  /// Pauses the state for the call of a script, which does not go on when the user runs the journey again or ends
  /// the run.
  func pauseCall(at spot: PauseSpot) async throws(LuaError) -> PauseAnswer {
    // After another task's pause, the journey is about to end.
    guard chosen == nil else { throw TaskErrors.cancelled }
    let answer = await pause(at: spot)
    guard answer == .retry || answer == .abort else { return answer }
    chosen = answer
    if called == nil { stopHandle.request(.interrupt) } else { cancelCall() }
    throw TaskErrors.cancelled
  }

  /// Waits for the end of the pause that is open, if one is; false if none is.
  func waitForPause() async -> Bool {
    guard pauses.isPaused else { return false }
    let gate = OneShot()
    let shared = OnLoop(value: gate)
    pauses.waiting.append(gate)
    await withTaskCancellationHandler {
      await withUnsafeContinuation { gate.wait($0) }
    } onCancel: { [loop] in
      loop.perform { shared.value.open() }
    }
    return true
  }

  /// The error for a pause that cannot be; nil if it can.
  ///
  /// Tasks of the paused script wait for their turn; entries at the prompt must not wait for themselves.
  var pauseRefusal: LuaError? {
    if pauses.isPaused, !(currentJob.map(pauses.holds) ?? false) {
      return Self.noPause("this is a pause already", "leave it with .continue")
    }
    if context.observer?.options["isCollecting"]?.bool == true {
      return Self.noPause(
        "a pause needs a journey: the top level of a file only declares journeys",
        "put the call into a journey")
    }
    guard context.pauses == nil else { return nil }
    return Self.noPause(
      "a pause opens the prompt, which only luath test and luath run do, and only at a terminal",
      "delete the call, or run the file at a terminal")
  }

  private static func noPause(_ message: String, _ hint: String) -> LuaError {
    .object([
      ("code", .string("noPause")), ("message", .string(message)), ("hint", .string(hint)),
    ])
  }
}

/// The pauses of a state so far.
struct PauseClock {
  private var sum = Duration.zero
  private var began: ContinuousClock.Instant?
  /// The jobs from before the pause, and what they start; they survive a stop of what the user runs.
  private(set) var held: [Job] = []
  /// The tasks that wait for the end of the pause.
  var waiting: [OneShot] = []

  var isPaused: Bool { began != nil }

  /// How long the state has been paused in all.
  var elapsed: Duration { sum + (began?.duration(to: .now) ?? .zero) }

  func holds(_ job: Job) -> Bool { held.contains { $0 === job } }

  /// How many of the held jobs wait.
  var heldWaits: Int { held.count { $0.effect != nil } }

  mutating func begin(holding jobs: [Job]) {
    began = .now
    held = jobs
  }

  /// Counts a job that a job from before the pause has started.
  mutating func hold(_ job: Job) { held.append(job) }

  mutating func end() {
    sum = elapsed
    began = nil
    held = []
    for gate in waiting { gate.open() }
    waiting = []
  }
}

/// A time limit that stands still while the state is paused; used on the loop's thread.
final class TimeLimit {
  private let interpreter: Interpreter
  private let limit: Duration
  private let start = ContinuousClock.now
  private let pausedBefore: Duration
  private let expired: () -> Void
  private var timer: TimerToken?

  /// Calls `expired` when the time is over.
  init(_ limit: Duration, _ interpreter: Interpreter, _ expired: @escaping () -> Void) {
    self.interpreter = interpreter
    self.limit = limit
    self.expired = expired
    pausedBefore = interpreter.pauses.elapsed
    wait(for: limit)
  }

  func cancel() {
    if let timer { interpreter.loop.cancel(timer) }
    timer = nil
  }

  private func wait(for time: Duration) {
    timer = interpreter.loop.schedule(after: time) { [unowned self] in
      timer = nil
      let pauses = interpreter.pauses
      let left = limit - start.duration(to: .now) + (pauses.elapsed - pausedBefore)
      // During a pause what is left does not shrink, so the next look may be late by this time.
      guard pauses.isPaused || left > .zero, pauses.elapsed > pausedBefore else { return expired() }
      wait(for: max(left, .milliseconds(200)))
    }
  }
}
