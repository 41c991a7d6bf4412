/// Counts what a run does, and how fast.
struct BatchMeter {
  /// How far back rates look, in whole seconds.
  private static let window = 10

  private var tally: BatchTally
  /// Ends in each of the last seconds.
  private var seconds = [(second: Int64, steps: Int, rows: Int)]()
  private let began: Duration
  /// Rows of this run that failed, and that ended.
  private(set) var failed: Int64 = 0
  private(set) var finished: Int64 = 0

  /// Goes on from what earlier runs did.
  init(_ tally: BatchTally = BatchTally(), at now: Duration = .zero) {
    self.tally = tally
    began = now
    // A claim that was there at the start is somebody else's, or a dead runner's whose rows come again.
    self.tally.rows[.waiting, default: 0] += self.tally.rows[.claimed] ?? 0
    self.tally.rows[.claimed] = 0
  }

  mutating func claimed(_ count: Int) {
    tally.rows[.claimed, default: 0] += Int64(count)
    tally.rows[.waiting, default: 0] -= Int64(count)
  }

  mutating func ended(_ state: RowState?, at now: Duration) {
    tally.rows[.claimed, default: 0] -= 1
    tally.rows[state ?? .waiting, default: 0] += 1
    guard let state else { return }
    finished += 1
    if state == .failed { failed += 1 }
    note(now) { $0.rows += 1 }
  }

  mutating func ended(_ result: StepOutcome.Result, at now: Duration) {
    tally.steps[result, default: 0] += 1
    note(now) { $0.steps += 1 }
  }

  private mutating func note(
    _ now: Duration, _ add: (inout (second: Int64, steps: Int, rows: Int)) -> Void
  ) {
    let second = now.components.seconds
    if seconds.last?.second != second { seconds.append((second, 0, 0)) }
    if seconds.count > Self.window + 1 { seconds.removeFirst() }
    add(&seconds[seconds.count - 1])
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
