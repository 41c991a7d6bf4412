/// Which agent of a load run begins which arrivals, users and rows.
///
/// The agents are numbered from 0, by their slots. An agent that is gone changes the shares from an arrival on that is
/// still to come; this is an epoch. All agents have the same epochs, so nothing is begun twice or left out.
struct AgentShare: Sendable, Equatable {
  /// The agents that share the load from an arrival on.
  struct Epoch: Sendable, Equatable {
    /// The first arrival of the epoch.
    let first: Int
    /// The slots of the agents, ascending.
    let live: [Int]
  }

  /// The agent of this process.
  let slot: Int
  /// The epochs so far, in order; at least one.
  private(set) var epochs: [Epoch]

  /// The only agent of a run.
  static let alone = AgentShare(slot: 0, agents: 1)

  init(slot: Int, agents: Int) {
    self.slot = slot
    epochs = [Epoch(first: 0, live: Array(0..<agents))]
  }

  /// Adds an epoch; its first arrival is not before that of the last one.
  mutating func add(_ epoch: Epoch) { epochs.append(epoch) }

  private var now: [Int] { epochs.last?.live ?? [] }

  /// The agent that begins an arrival; nil if all are gone.
  func owner(of arrival: Int) -> Int? {
    guard let live = epochs.last(where: { $0.first <= arrival })?.live, !live.isEmpty else {
      return nil
    }
    return live[arrival % live.count]
  }

  func isOwn(_ arrival: Int) -> Bool { owner(of: arrival) == slot }

  /// Returns how many of some arrivals an agent begins.
  func count(of slot: Int, in arrivals: Range<Int>) -> Int {
    var count = 0
    for (index, epoch) in epochs.enumerated() {
      let end = index + 1 < epochs.count ? epochs[index + 1].first : arrivals.upperBound
      let from = max(epoch.first, arrivals.lowerBound)
      let to = min(end, arrivals.upperBound)
      guard from < to, let rank = epoch.live.firstIndex(of: slot) else { continue }
      /// How many numbers below a limit leave this remainder.
      func below(_ limit: Int) -> Int {
        (limit - rank + epoch.live.count - 1) / epoch.live.count
      }
      count += max(0, below(to)) - max(0, below(from))
    }
    return count
  }

  // MARK: Users

  /// The number in the whole run, from 1, of a user of this agent; nil when it is gone.
  ///
  /// - Parameter seat: The number of the user among those of this agent, from 0.
  func user(of seat: Int) -> Int? {
    now.firstIndex(of: slot).map { $0 + 1 + seat * now.count }
  }

  /// How many of some users are of this agent.
  func seats(of users: Int) -> Int {
    guard let rank = now.firstIndex(of: slot) else { return 0 }
    return max(0, (users - rank + now.count - 1) / now.count)
  }

  // MARK: Rows

  /// The rows of this agent, of `count` in all; the order is that in which it came to them.
  ///
  /// The rows of an agent that is gone are dealt out to the others, which keep theirs.
  func rows(of count: Int) -> [Int] {
    guard let first = epochs.first, !first.live.isEmpty else { return [] }
    var rows: [Int: [Int]] = [:]
    for row in 0..<count { rows[first.live[row % first.live.count], default: []].append(row) }
    for (before, epoch) in zip(epochs, epochs.dropFirst()) where !epoch.live.isEmpty {
      for gone in before.live where !epoch.live.contains(gone) {
        for (index, row) in (rows.removeValue(forKey: gone) ?? []).enumerated() {
          rows[epoch.live[index % epoch.live.count], default: []].append(row)
        }
      }
    }
    return rows[slot] ?? []
  }
}
