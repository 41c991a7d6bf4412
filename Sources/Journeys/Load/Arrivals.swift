/// The start times of journeys in an open load model, whether or not earlier ones have ended.
///
/// A journey that finds no free virtual user begins late. Its latency counts from when it was due; otherwise the
/// waiting that a slow backend causes would be missing from the figures (Gil Tene's "coordinated omission").
struct Arrivals: Sendable {
  /// An arrival that a user has taken.
  struct Taken: Sendable, Equatable {
    /// Its number in the whole run, from 0.
    let index: Int
    /// When it is due, in milliseconds from the start.
    let due: Double
    /// How many epochs there were when it was taken.
    fileprivate let epochs: Int
  }

  /// What a new epoch took back.
  private struct Change {
    /// How many epochs there are since.
    let epochs: Int
    let first: Int
    /// What was taken from this arrival on is given out again.
    let from: Int
  }

  private let shape: LoadShape
  /// The total number of arrivals, of all agents.
  let count: Int
  private(set) var share: AgentShare
  private var next = 0
  /// What became this agent's own after others like it had begun.
  private var late: [Int] = []
  private var lastBegun = -1
  private var changes: [Change] = []
  /// Arrivals that this agent began although another one had them, because it read an epoch too late.
  private(set) var begunTwice = 0
  private static let mostGroups = 10_000

  /// Plans the arrivals of a run.
  ///
  /// - Parameters:
  ///   - shape: Journeys per second.
  ///   - share: Which of them are of this agent.
  init(_ shape: LoadShape, _ share: AgentShare = .alone) {
    self.shape = shape
    self.share = share
    count = shape.count
  }

  /// Returns the arrivals that were due before a time but that no user took, with how long each
  /// waited until then.
  ///
  /// The result has few groups, because a second may have a million arrivals.
  ///
  /// - Parameters:
  ///   - time: Milliseconds from the start.
  ///   - warmUp: Leaves out what was due before this time.
  func left(at time: Double, after warmUp: Double = 0) -> [(number: UInt64, waited: Double)] {
    let first = shape.count(before: warmUp)
    let due = shape.count(before: time)
    let start = max(next, first)
    let left =
      late.filter { $0 >= first && $0 < due } + (start..<max(start, due)).filter(share.isOwn)
    let size = max(1, left.count / Self.mostGroups)
    return stride(from: 0, to: left.count, by: size).map { first in
      let last = min(first + size, left.count)
      return (UInt64(last - first), max(0, time - (shape.due(left[last - 1]) ?? time)))
    }
  }

  /// Whether an arrival of this agent was due before a time, and no user has taken it.
  func isLate(at time: Double) -> Bool {
    if !late.isEmpty { return true }
    return shape.due(own(from: next)).map { $0 < time } ?? false
  }

  /// The first arrival of this agent from one on; `count` for none.
  private func own(from index: Int) -> Int {
    var index = index
    while index < count, !share.isOwn(index) { index += 1 }
    return index
  }

  /// Takes the next arrival for a free user.
  ///
  /// It may be due in the future, so that only one user waits for it, or in the past. Nil when all are taken.
  mutating func take() -> Taken? {
    let index: Int
    if late.isEmpty {
      index = own(from: next)
      next = max(next, min(index + 1, count))
    } else {
      index = late.removeFirst()
    }
    guard index < count, let due = shape.due(index) else { return nil }
    return Taken(index: index, due: due, epochs: share.epochs.count)
  }

  /// Whether an arrival that was taken may still begin; false if a new epoch has given it out again.
  func isValid(_ taken: Taken) -> Bool {
    changes.allSatisfy { change in
      guard change.epochs > taken.epochs, taken.index >= change.first else { return true }
      return taken.index < change.from && share.isOwn(taken.index)
    }
  }

  /// Notes that a journey begins; false if a new epoch has given its arrival out again.
  mutating func begin(_ taken: Taken) -> Bool {
    guard isValid(taken) else { return false }
    lastBegun = max(lastBegun, taken.index)
    return true
  }

  /// Begins an epoch: gives out again what was taken from its first arrival on, and has not begun.
  mutating func add(_ epoch: AgentShare.Epoch) {
    let before = share
    share.add(epoch)
    let first = epoch.first
    // An agent that reads the epoch in time has begun none of its arrivals.
    let from = max(first, lastBegun + 1)
    late.removeAll { $0 >= first && !share.isOwn($0) }
    for index in first..<from where before.isOwn(index) != share.isOwn(index) {
      if share.isOwn(index) { late.append(index) } else { begunTwice += 1 }
    }
    changes.append(Change(epochs: share.epochs.count, first: first, from: from))
    if next > from { next = from }
  }
}
