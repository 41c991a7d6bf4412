import Host
import System
import IdentityToolkit

/// The result of a comparison of two servers.
struct ComparisonReport: Sendable {
  /// A server in the report.
  struct Server: Sendable {
    /// Its name on the command line.
    let name: String
    /// The project id.
    let projectID: String
    /// Whether it is an emulator.
    let isEmulated: Bool
    /// The number of requests sent to it.
    let requests: Int
    /// The number of accounts that were created there and deleted.
    let deleted: Int
    /// Descriptions of what could not be deleted.
    let left: [String]
  }

  /// How the comparison ended.
  enum Ending: String, Sendable {
    case whole, budget, interrupted, gaveUp
  }

  /// The server under test.
  let target: Server
  /// The server it was compared with.
  let reference: Server
  /// The target's settings, as an administrator reads them.
  let settings: JSON
  /// How the comparison ended.
  let ending: Ending
  /// Why it was given up; empty otherwise.
  let problem: String
  /// The results of all scenarios.
  let results: [ScenarioResult]
  /// The differences by kind, the most frequent first.
  let groups: [DifferenceGroup]
  /// The limit of requests to the target.
  let budget: Int

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

  /// The number of scenarios with this outcome.
  func count(_ outcome: ScenarioResult.Outcome) -> Int {
    results.count { $0.outcome == outcome }
  }

  /// The number of scenarios that both servers answered.
  var compared: Int { count(.equal) + count(.different) }

  /// Whether every scenario that the project allows was compared, at least one, and nothing was left behind.
  var isWhole: Bool {
    ending == .whole && compared > 0 && count(.failed) == 0 && target.left.isEmpty
      && reference.left.isEmpty
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
