/// Counts the rows and steps of a run, and their rates.
struct BatchMeter {
  /// A kind of call and how it ended.
  struct Call: Sendable, Hashable {
    /// The kind of call, such as `update` or `lookup`.
    let kind: String
    /// `ok`, or the class of the failure.
    let status: String
  }

  /// What this process has done so far.
  ///
  /// The counts never decrease: what is done again or taken back stays counted.
  struct Totals: Sendable {
    fileprivate(set) var rows: [RowState: Int64] = [:]
    fileprivate(set) var steps: [StepOutcome.Result: Int64] = [:]
    fileprivate(set) var calls: [Call: Int64] = [:]
  }

  /// The time window for rates, in seconds.
  private static let window = 10

  /// The counts of the whole run: the last tally from the journal, plus this process's changes since.
  private var tally: BatchTally
  /// Changes by this process since the last tally began; included in `tally`.
  private var changes = BatchTally()
  /// Rows finished and steps made by this process.
  private(set) var own = BatchTally()
  private(set) var totals = Totals()
  /// The steps and rows that ended in each of the last seconds.
  private var seconds = [(second: Int64, steps: Int, rows: Int)]()
  /// Since when the rates are measured.
  private var began: Duration
  /// Rows of this run that failed, and rows that ended.
  private(set) var failed: Int64 = 0
  private(set) var finished: Int64 = 0

  /// Starts with the tally of earlier runs.
  init(_ tally: BatchTally = BatchTally(), at now: Duration = .zero) {
    self.tally = tally
    began = now
    // Rows claimed at the start belong to another runner, or to a dead one whose rows become pending again.
    self.tally.rows[.waiting, default: 0] += self.tally.rows[.claimed] ?? 0
    self.tally.rows[.claimed] = 0
  }

  mutating func claimed(_ count: Int) {
    move(Int64(count), from: .waiting, to: .claimed)
  }

  mutating func ended(_ state: RowState?, at now: Duration) {
    move(1, from: .claimed, to: state ?? .waiting)
    guard let state else { return }
    own.rows[state, default: 0] += 1
    totals.rows[state, default: 0] += 1
    finished += 1
    if state == .failed || state == .halfDone { failed += 1 }
    note(now) { $0.rows += 1 }
  }

  /// Counts failed rows as pending again.
  mutating func reopened(_ count: Int) {
    move(Int64(count), from: .failed, to: .waiting)
    own.rows[.failed, default: 0] -= Int64(count)
    finished -= Int64(count)
    failed -= Int64(count)
  }

  mutating func ended(_ result: StepOutcome.Result, at now: Duration) {
    for path in [\BatchMeter.tally, \.changes, \.own] {
      self[keyPath: path].steps[result, default: 0] += 1
    }
    totals.steps[result, default: 0] += 1
    note(now) { $0.steps += 1 }
  }

  /// Counts a step as taken back that ended otherwise before.
  mutating func tookBack(_ old: StepOutcome.Result?) {
    for path in [\BatchMeter.tally, \.changes] {
      if let old { self[keyPath: path].steps[old, default: 0] -= 1 }
      self[keyPath: path].steps[.takenBack, default: 0] += 1
    }
    // The step may have been made by a process that is dead.
    if let old, let count = own.steps[old], count > 0 { own.steps[old] = count - 1 }
    own.steps[.takenBack, default: 0] += 1
    totals.steps[.takenBack, default: 0] += 1
  }

  /// Counts a call; nil for one that succeeded.
  mutating func called(_ kind: String, _ fault: FaultClass?) {
    totals.calls[Call(kind: kind, status: fault?.status ?? "ok"), default: 0] += 1
  }

  /// Removes steps whose row begins anew.
  mutating func forgot(_ results: [StepOutcome.Result]) {
    for result in results {
      tally.steps[result, default: 0] -= 1
      changes.steps[result, default: 0] -= 1
    }
  }

  private mutating func move(_ count: Int64, from old: RowState, to new: RowState) {
    for path in [\BatchMeter.tally, \.changes] {
      self[keyPath: path].rows[old, default: 0] -= count
      self[keyPath: path].rows[new, default: 0] += count
    }
  }

  // MARK: Other processes

  /// Starts a new tally of the whole run.
  mutating func beginLook() { changes = BatchTally() }

  /// Sets a finished tally, plus this process's changes since it began.
  mutating func endLook(_ whole: BatchTally, at now: Duration) {
    let before = Self.ended(tally)
    tally = whole
    for (state, count) in changes.rows { tally.rows[state, default: 0] += count }
    for (result, count) in changes.steps { tally.steps[result, default: 0] += count }
    // Rows that other processes ended also shorten the remaining time.
    let others = Int(clamping: Self.ended(tally) - before)
    if others > 0 { note(now) { $0.rows += others } }
  }

  private static func ended(_ tally: BatchTally) -> Int64 {
    (tally.rows[.done] ?? 0) + tally.failed
  }

  private mutating func note(
    _ now: Duration, _ add: (inout (second: Int64, steps: Int, rows: Int)) -> Void
  ) {
    let second = now.components.seconds
    if seconds.last?.second != second { seconds.append((second, 0, 0)) }
    if seconds.count > Self.window + 1 { seconds.removeFirst() }
    add(&seconds[seconds.count - 1])
  }

  /// Measures the rates again from now on, so that those after a pause do not count the time of the pause.
  mutating func restart(at now: Duration) {
    seconds = []
    began = now
  }

  func status(at now: Duration) -> BatchStatus {
    var status = BatchStatus()
    status.tally = tally
    let recent = seconds.filter { $0.second > now.components.seconds - Int64(Self.window) }
    let span = max(0.5, min(Double(Self.window), (now - began) / .seconds(1)))
    status.rate = Double(recent.reduce(0) { $0 + $1.steps }) / span
    status.rowRate = Double(recent.reduce(0) { $0 + $1.rows }) / span
    return status
  }
}
