import Encoding
import IdentityToolkit

/// What a comparison of two servers found.
public struct ComparisonReport: Sendable {
  /// A server as the report names it.
  public struct Server: Sendable {
    /// What the command line calls it.
    public let name: String
    /// The project that was asked.
    public let projectID: String
    /// Whether it is an emulator.
    public let isEmulated: Bool
    /// How many requests it was sent.
    public let requests: Int
    /// How many accounts were made there and deleted.
    public let deleted: Int
    /// What could not be deleted, in words.
    public let left: [String]
  }

  /// Why not all scenarios were played.
  public enum Ending: String, Sendable {
    case whole, budget, interrupted, gaveUp
  }

  /// The server that was examined.
  public let target: Server
  /// The server it was compared with.
  public let reference: Server
  /// The settings of the target as an administrator reads them.
  let settings: JSON
  /// How the comparison ended.
  public let ending: Ending
  /// Why it was given up; empty otherwise.
  public let problem: String
  /// What became of each scenario.
  public let results: [ScenarioResult]
  /// The differences by kind, the most frequent first.
  public let groups: [DifferenceGroup]
  /// The largest number of requests that the target was to be sent.
  public let budget: Int

  init(
    _ target: Peer, _ reference: Peer, _ results: [ScenarioResult], _ ending: Ending,
    problem: String,
    budget: Int
  ) {
    self.target = Server(target)
    self.reference = Server(reference)
    settings = target.settings
    self.results = results
    self.ending = ending
    self.problem = problem
    self.budget = budget
    groups = DifferenceGroup.groups(of: results)
  }

  /// How many scenarios ended so.
  public func count(_ outcome: ScenarioResult.Outcome) -> Int {
    results.count { $0.outcome == outcome }
  }

  /// Whether every scenario that the project allows was compared, and nothing was left behind.
  public var isWhole: Bool {
    ending == .whole && count(.failed) == 0 && target.left.isEmpty && reference.left.isEmpty
  }
}

extension ComparisonReport.Server {
  fileprivate init(_ peer: Peer) {
    name = peer.name
    projectID = peer.target.projectID
    isEmulated = peer.target.isEmulated
    requests = peer.requests
    deleted = peer.belongings.deleted
    left = peer.leftovers
  }
}
