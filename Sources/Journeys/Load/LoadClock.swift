import Host
import Synchronization
import System

/// The start of a journey under load.
struct LoadStart: Sendable {
  /// When it is due, in milliseconds since the start of the run.
  let due: Double
  /// The number of starts before it, which decides the journey.
  let turn: Int
  /// Whether its figures count: false in the warm-up.
  let isMeasured: Bool
}

/// The state shared by all virtual users: time, arrivals, rows and counts.
final class LoadClock: Sendable {
  private struct State {
    var tally = LoadTally()
    var arrivals: Arrivals?
    var rows = LoadRows([])
    var began: ContinuousClock.Instant?
    /// When the run was stopped early, in milliseconds since the start.
    var stopped: Double?
    /// Whether journeys that ran were ended.
    var isCut = false
    var starts = 0
    /// The users that may still begin journeys.
    var users = 0
    /// When the last user had ended its last journey.
    var ended = 0.0
  }

  private let shape: LoadShape
  /// For how many milliseconds at the start nothing is counted.
  let warmUp: Double
  let isOpen: Bool
  let samples: LoadSamples?
  private let state: Mutex<State>

  init(_ plan: LoadPlan) {
    shape = plan.shape
    warmUp = plan.warmUp
    isOpen = plan.model == .open
    samples = plan.samples
    state = Mutex(State(arrivals: isOpen ? Arrivals(shape) : nil))
  }

  /// Milliseconds since the start; 0 before it.
  var now: Double { state.withLock { Self.now($0) } }

  /// Milliseconds since the end of the warm-up.
  var measured: Double { now - warmUp }

  private static func now(_ state: State) -> Double {
    state.began.map { EventHub.milliseconds($0.duration(to: .now)) } ?? 0
  }

  /// Starts the clock; later calls have no effect.
  func start() { state.withLock { $0.began = $0.began ?? .now } }

  /// Stops the run: no further journey begins.
  ///
  /// - Parameter isCut: Whether also the journeys that run are ended.
  func stop(isCut: Bool = false) {
    state.withLock { state in
      if isCut { state.isCut = true }
      // At the end of the run, there is nothing left to stop.
      let now = min(Self.now(state), shape.duration)
      state.stopped = state.stopped ?? now
    }
  }

  /// Whether no further journey may begin because the run was stopped.
  var wasStopped: Bool { state.withLock { $0.stopped != nil } }

  /// Whether journeys that ran were ended, which makes everything open fail.
  var isCut: Bool { state.withLock(\.isCut) }

  /// When the run stops to begin journeys.
  var end: Double { state.withLock { $0.stopped ?? shape.duration } }

  /// Whether journeys may still begin.
  var isRunning: Bool {
    state.withLock { $0.stopped == nil && Self.now($0) < shape.duration }
  }

  var tally: LoadTally { state.withLock(\.tally) }

  /// Milliseconds from the end of the warm-up until the last journey had ended.
  var duration: Double { state.withLock { max(0, $0.ended - warmUp) } }

  func count(_ body: (inout LoadTally) -> Void) { state.withLock { body(&$0.tally) } }

  // MARK: Users

  func join(_ number: Int) { state.withLock { $0.users += number } }

  /// Notes that a user begins no further journey.
  func leave() {
    state.withLock { state in
      state.users -= 1
      state.ended = Self.now(state)
    }
  }

  /// The number of users that may still begin journeys, or run one.
  var users: Int { state.withLock(\.users) }

  /// Whether a journey is due for which no user is free.
  var needsUsers: Bool {
    state.withLock { state in
      state.arrivals?.isLate(at: min(Self.now(state), shape.duration)) ?? false
    }
  }

  /// Returns the next journey of a free user; nil for none.
  func next(for user: Int) -> LoadStart? {
    state.withLock { state in
      let now = Self.now(state)
      // A user that becomes free after the end takes no arrival, so that `settle` counts it.
      guard state.stopped == nil, now < shape.duration,
        let due = isOpen ? state.arrivals?.take() : shape.next(for: user, at: now)
      else { return nil }
      defer { state.starts += 1 }
      return LoadStart(due: due, turn: state.starts, isMeasured: due >= warmUp)
    }
  }

  /// Counts arrivals that no user took in time.
  ///
  /// Call it after the last journey has ended.
  func settle() {
    state.withLock { state in
      let left = state.arrivals?.left(at: state.stopped ?? shape.duration, after: warmUp)
      for (number, waited) in left ?? [] { state.tally.drop(number, waited: waited) }
    }
  }

  // MARK: Rows

  func fill(_ rows: [JSON]) { state.withLock { $0.rows = LoadRows(rows) } }

  func takeRow() -> (index: Int, row: JSON)? { state.withLock { $0.rows.take() } }

  func giveBack(row index: Int) { state.withLock { $0.rows.giveBack(index) } }

  // MARK: Limits

  /// Returns the first limit that the figures so far miss, when there are some.
  func missed(_ thresholds: [Threshold]) -> Threshold? {
    state.withLock { state in
      let seconds = (Self.now(state) - warmUp) / 1000
      return thresholds.first { threshold in
        guard let figures = LoadReport.figures(threshold.subject, state.tally),
          figures.latency.count > 0
        else { return false }
        return !threshold.isMet(by: figures.value(of: threshold.metric, seconds: seconds))
      }
    }
  }
}

/// The rows of a load run: each journey gets the next one, and the first again after the last.
///
/// Two journeys have the same row at the same time only if there are more journeys than rows.
struct LoadRows: Sendable {
  private let rows: [JSON]
  /// How many journeys have each row.
  private var uses: [Int]
  private var free: ArraySlice<Int>
  private var next = 0

  init(_ rows: [JSON]) {
    self.rows = rows
    uses = rows.map { _ in 0 }
    free = Array(rows.indices)[...]
  }

  /// Takes the next row for a journey; nil when the run has none.
  mutating func take() -> (index: Int, row: JSON)? {
    guard !rows.isEmpty else { return nil }
    let index = free.popFirst() ?? next
    next = (index + 1) % rows.count
    uses[index] += 1
    return (index, rows[index])
  }

  mutating func giveBack(_ index: Int) {
    uses[index] -= 1
    if uses[index] == 0 { free.append(index) }
  }
}
