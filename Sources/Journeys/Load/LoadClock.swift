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
  /// The arrival, in the open model.
  fileprivate let arrival: Arrivals.Taken?
  /// How many epochs there were when it was planned.
  fileprivate let epochs: Int
}

/// The state shared by all virtual users: time, arrivals, rows and counts.
final class LoadClock: Sendable {
  private struct State {
    var tally: LoadTally
    var arrivals: Arrivals?
    var share: AgentShare
    var rows = LoadRows([])
    var began: ContinuousClock.Instant?
    /// When the run was stopped early, in milliseconds since the start.
    var stopped: Double?
    /// Whether journeys that ran were ended.
    var isCut = false
    var starts = 0
    /// When the process was last seen to run, and since when journeys wait because it was suspended.
    var beat: ContinuousClock.Instant?
    var held: ContinuousClock.Instant?
    /// The users that may still begin journeys.
    var users = 0
    /// The users that there were.
    var mostUsers = 0
    /// When the last user had ended its last journey.
    var ended = 0.0
  }

  private let shape: LoadShape
  /// For how many milliseconds at the start nothing is counted.
  let warmUp: Double
  let isOpen: Bool
  /// Whether the run has other agents, which this one may have to replace.
  let isShared: Bool
  let samples: LoadSamples?
  /// The users of all agents at the start.
  private let allUsers: Int
  private let state: Mutex<State>

  /// - Parameter share: What this process has of the run.
  init(_ plan: LoadPlan, _ share: AgentShare = .alone) {
    shape = plan.shape
    warmUp = plan.warmUp
    isOpen = plan.model == .open
    samples = plan.samples
    isShared = share != .alone
    allUsers = plan.firstUsers
    var tally = LoadTally()
    tally.keepsHistograms = isShared
    state = Mutex(
      State(tally: tally, arrivals: isOpen ? Arrivals(shape, share) : nil, share: share))
  }

  /// Milliseconds since the start; 0 before it.
  var now: Double { state.withLock { Self.now($0) } }

  /// Milliseconds since the end of the warm-up.
  var measured: Double { now - warmUp }

  private static func now(_ state: State) -> Double {
    state.began.map { EventHub.milliseconds($0.duration(to: .now)) } ?? 0
  }

  /// Starts the clock; later calls have no effect.
  ///
  /// - Parameter time: When the run begins, which may be in the future.
  func start(at time: ContinuousClock.Instant = .now) {
    state.withLock { $0.began = $0.began ?? time }
  }

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

  func join(_ number: Int) {
    state.withLock { state in
      state.users += number
      state.mostUsers += number
    }
  }

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
  ///
  /// - Parameter seat: The number of the user among those of this process, from 0.
  func next(for seat: Int) -> LoadStart? {
    state.withLock { state in
      let now = Self.now(state)
      // A user that becomes free after the end takes no arrival, so that `settle` counts it.
      guard state.stopped == nil, now < shape.duration else { return nil }
      let arrival = state.arrivals?.take()
      let due =
        isOpen
        ? arrival?.due : state.share.user(of: seat).flatMap { shape.next(for: $0, at: now) }
      guard let due else { return nil }
      defer { state.starts += 1 }
      return LoadStart(
        due: due, turn: arrival?.index ?? state.starts, isMeasured: due >= warmUp,
        arrival: arrival, epochs: state.share.epochs.count)
    }
  }

  /// Whether a journey may still begin; false if it belongs to another agent by now.
  func isValid(_ start: LoadStart) -> Bool { state.withLock { Self.isValid(start, $0) } }

  private static func isValid(_ start: LoadStart, _ state: State) -> Bool {
    guard let arrival = start.arrival else { return start.epochs == state.share.epochs.count }
    return state.arrivals?.isValid(arrival) ?? false
  }

  /// Notes that a journey begins; false if it belongs to another agent by now.
  func begin(_ start: LoadStart) -> Bool {
    state.withLock { state in
      guard let arrival = start.arrival else { return Self.isValid(start, state) }
      return state.arrivals?.begin(arrival) ?? false
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

  func fill(_ rows: [JSON]) {
    state.withLock { state in
      state.rows = LoadRows(rows)
      state.rows.take(over: state.share)
    }
  }

  func takeRow() -> (index: Int, row: JSON)? { state.withLock { $0.rows.take() } }

  func giveBack(row index: Int) { state.withLock { $0.rows.giveBack(index) } }

  // MARK: Limits

  /// Returns the first limit that figures of the run so far miss, when there are some.
  func missed(_ thresholds: [Threshold], in tally: LoadTally) -> Threshold? {
    let seconds = measured / 1000
    return thresholds.first { threshold in
      guard let figures = LoadReport.figures(threshold.subject, tally), figures.latency.count > 0
      else { return false }
      return !threshold.isMet(by: figures.value(of: threshold.metric, seconds: seconds))
    }
  }
}

/// What several agents share.
extension LoadClock {
  /// Begins an epoch.
  func add(_ epoch: AgentShare.Epoch) {
    state.withLock { state in
      state.share.add(epoch)
      state.arrivals?.add(epoch)
      state.rows.take(over: state.share)
    }
  }

  /// Notes that the process runs; call it every 100 milliseconds or so.
  func beat() {
    state.withLock { state in
      Self.detectSuspension(&state)
      state.beat = .now
    }
  }

  /// Whether no journey may begin now, because the process was suspended: others may have its share.
  var isHeld: Bool {
    state.withLock { state in
      Self.detectSuspension(&state)
      return state.held != nil
    }
  }

  private static func detectSuspension(_ state: inout State) {
    guard let beat = state.beat, beat.duration(to: .now) > .seconds(2) else { return }
    state.held = .now
  }

  /// Lets journeys begin again.
  ///
  /// - Parameter time: When the process last read its share, or found the server away.
  func release(readAt time: ContinuousClock.Instant) {
    state.withLock { state in
      if let held = state.held, held < time { state.held = nil }
    }
  }

  /// How many users this process has, of those of the start.
  var ownUsers: Int { state.withLock { $0.share.seats(of: allUsers) } }

  /// How many of some users this process has.
  func own(_ users: Int) -> Int { state.withLock { $0.share.seats(of: users) } }

  /// The number of arrivals before a time, in milliseconds since the start.
  func arrivals(before time: Double) -> Int { isOpen ? shape.count(before: time) : 0 }

  /// How many measured journeys were due to an agent until the end of the run.
  func due(of slot: Int, _ share: AgentShare) -> Int {
    let first = arrivals(before: warmUp)
    return share.count(of: slot, in: first..<max(first, arrivals(before: end)))
  }

  var figures: AgentFigures {
    state.withLock { state in
      AgentFigures(
        state.tally, users: state.mostUsers, duration: max(0, state.ended - warmUp),
        at: Self.now(state), begunTwice: state.arrivals?.begunTwice ?? 0)
    }
  }
}

/// The rows of a load run: each journey gets the next one, and the first again after the last.
///
/// Two journeys have the same row at the same time only if there are more journeys than rows.
struct LoadRows: Sendable {
  private let rows: [JSON]
  /// The indices of the rows of this process, in the order in which it got them.
  private var own: [Int]
  /// How many journeys have each row of this process.
  private var uses: [Int]
  /// The places in `own` of rows that no journey has.
  private var free: ArraySlice<Int>
  private var next = 0

  init(_ rows: [JSON]) {
    self.rows = rows
    own = Array(rows.indices)
    uses = rows.map { _ in 0 }
    free = own[...]
  }

  /// Takes the rows that a process has of a run: at first its own, later those of agents that are gone.
  mutating func take(over share: AgentShare) {
    let now = share.rows(of: rows.count)
    guard share.epochs.count > 1 else {
      own = now
      uses = own.map { _ in 0 }
      free = Array(own.indices)[...]
      return
    }
    let more = now.dropFirst(own.count)
    free += own.count..<own.count + more.count
    own += more
    uses += more.map { _ in 0 }
  }

  /// Takes the next row for a journey; nil when there is none.
  mutating func take() -> (index: Int, row: JSON)? {
    guard !own.isEmpty else { return nil }
    let place = free.popFirst() ?? next
    next = (place + 1) % own.count
    uses[place] += 1
    return (place, rows[own[place]])
  }

  mutating func giveBack(_ index: Int) {
    uses[index] -= 1
    if uses[index] == 0 { free.append(index) }
  }
}
