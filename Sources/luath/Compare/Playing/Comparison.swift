import HTTP
import Host
import IdentityToolkit
import System

/// Runs scenarios at two servers and compares the responses.
final class Comparison {
  /// The default limit of requests to the target.
  static let usualBudget = 3000
  /// The part of the budget that is kept for deleting accounts.
  static let reserve = 20
  /// The number of consecutive scenarios without a response that ends the comparison.
  private static let patience = 3
  /// The number of consecutive scenarios with internal errors only that ends the comparison; one broken call is not
  /// enough.
  private static let patienceWithErrors = 10
  /// The number of scenarios after which a real project's accounts are deleted.
  static let cleaningInterval = 40
  /// The number of names at which they are deleted earlier.
  static let cleaningThreshold = 60

  private let target: Peer
  private let reference: Peer
  private let scenarios: [Scenario]
  private let budget: Int
  private let isStopped: @Sendable () -> Bool
  private let progress: @Sendable (_ done: Int, _ of: Int) -> Void
  private var results: [ScenarioResult] = []
  private var failuresInARow = 0
  private var errorsInARow = 0
  private var ending = ComparisonReport.Ending.whole
  private var problem = ""

  /// Prepares a comparison.
  ///
  /// - Parameters:
  ///   - isStopped: Whether the user interrupted it; called before each request.
  ///   - progress: Called before each scenario.
  init(
    of target: Peer, with reference: Peer, _ scenarios: [Scenario], budget: Int,
    isStopped: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) {
    self.target = target
    self.reference = reference
    self.scenarios = scenarios
    self.budget = budget
    self.isStopped = isStopped
    self.progress = progress
  }

  /// Reads from both servers what all scenarios need.
  ///
  /// - Returns: The number of the target's accounts; 21 means 21 or more.
  func examine() async throws(PeerFailure) -> Int {
    let count = try await target.examine()
    _ = try await reference.examine()
    guard !target.target.isEmulated, reference.isTemporary else { return count }
    // Compare behavior, not settings: give the reference the settings of the target.
    let settings = ProjectSettings.mirror(target.settings)
    try await reference.change(settings: settings, of: settings.keys)
    reference.settings = target.settings
    return count
  }

  /// The number of scenarios that both servers allow, after `examine`.
  var playable: Int { scenarios.count { reasonToSkip($0) == nil } }

  /// Whether the comparison will call blocking functions of the target.
  var callsFunctions: Bool { ProjectSettings.hasFunctions(target.settings) }

  /// Runs all scenarios, deletes their accounts, and reports.
  ///
  /// - Throws: When this run may not change the project.
  func run() async throws(PeerFailure) -> ComparisonReport {
    var refusal: PeerFailure?
    for (index, scenario) in scenarios.enumerated() {
      if let reason = reasonToSkip(scenario) {
        results.append(ScenarioResult(scenario, .skipped, reason))
        continue
      }
      if ending == .whole, isStopped() { ending = .interrupted }
      if ending == .whole, !affords(scenario) { ending = .budget }
      guard ending == .whole else {
        results.append(ScenarioResult(scenario, .notPlayed))
        continue
      }
      progress(index, scenarios.count)
      let result = await play(scenario, index + 1)
      if case .failure(let failure) = result {
        refusal = failure
        break
      }
      if case .success(let result) = result { results.append(result) }
      // Phone numbers are few: the next scenario needs those of this one.
      if target.target.isEmulated || index % Self.cleaningInterval == 0
        || target.belongings.hasPhones || target.belongings.count >= Self.cleaningThreshold
      {
        await target.cleanUp()
        await reference.cleanUp()
      }
      for peer in [target, reference] where ending == .whole && peer.isSilent {
        giveUp("\(peer.name) did not respond \(Peer.patience) times in a row", peer.cleaningFailure)
      }
    }
    for peer in [target, reference] {
      peer.askOnceMore()
      await peer.cleanUp(isLast: true)
    }
    if let refusal { throw refusal }
    return ComparisonReport(target, reference, results, ending, problem: problem, budget: budget)
  }

  private func reasonToSkip(_ scenario: Scenario) -> String? {
    if let reason = scenario.emulatorsOnly,
      !target.target.isEmulated || !reference.target.isEmulated
    {
      return "for emulators only, as \(reason)"
    }
    for peer in [target, reference] {
      for need in scenario.needs {
        guard let lack = need.lack(at: peer) else { continue }
        return peer === target ? lack : "\(peer.name): \(lack)"
      }
    }
    return nil
  }

  private func affords(_ scenario: Scenario) -> Bool {
    target.requests + scenario.requests + Self.reserve <= budget
  }

  /// Runs one scenario at both servers; fails when the guard of real projects refuses a request.
  private func play(_ scenario: Scenario, _ number: Int) async -> Result<
    ScenarioResult, PeerFailure
  > {
    var answers: [[StepAnswer]] = []
    for peer in [target, reference] {
      var player = Player(scenario, number, at: peer) { [self] in
        !isStopped() && target.requests + Self.reserve + scenario.finally.count < budget
      }
      let outcome = await player.play()
      if let failure = outcome.failure {
        if failure.isRefusedByGuard { return .failure(failure) }
        return .success(failed(scenario, failure, at: peer))
      }
      if outcome.wasStopped {
        ending = isStopped() ? .interrupted : .budget
        return .success(ScenarioResult(scenario, .notPlayed))
      }
      answers.append(outcome.answers)
    }
    failuresInARow = 0
    countErrors(answers[0], answers[1])
    return .success(ScenarioResult(scenario, answers[0], answers[1]))
  }

  /// Stops when the target returns nothing but internal errors, and the reference does not.
  private func countErrors(_ answers: [StepAnswer], _ others: [StepAnswer]) {
    guard !answers.contains(where: { $0.isOrderly == true }),
      others.contains(where: { $0.isOrderly == true })
    else {
      errorsInARow = 0
      return
    }
    errorsInARow += 1
    guard errorsInARow == Self.patienceWithErrors, ending == .whole else { return }
    giveUp(
      "\(target.name) returned an internal error for every request of \(errorsInARow) scenarios in a row, "
        + "\(reference.name) did not", "")
  }

  /// Skips the remaining scenarios.
  private func giveUp(_ problem: String, _ last: String, hint: String = "") {
    ending = .gaveUp
    self.problem = last.isEmpty ? problem : "\(problem); the last time: \(last)"
    if !hint.isEmpty { self.problem += "\n  hint: \(hint)" }
  }

  private func failed(_ scenario: Scenario, _ failure: PeerFailure, at peer: Peer) -> ScenarioResult
  {
    failuresInARow += 1
    if peer.isSilent || failuresInARow == Self.patience {
      giveUp(
        "\(peer.name) did not respond \(Self.patience) times in a row", failure.message,
        hint: failure.hint)
    }
    let isNamed = failure.message.hasPrefix(peer.name)
    return ScenarioResult(
      scenario, .failed, isNamed ? failure.message : "\(peer.name): \(failure.message)")
  }
}

/// The cost of a comparison, shown to users before they start one.
extension Comparison {
  /// The largest number of requests sent to the target, not counting retries when the server is busy.
  static func requests(_ scenarios: [Scenario], isEmulated: Bool) -> Int {
    // Scenarios never use the reserve.
    let cleanings = cleanings(scenarios, isEmulated: isEmulated)
    return scenarios.reduce(Peer.examination.count + reserve) { $0 + $1.requests }
      + cleanings * requestsOfCleaning
  }

  /// The requests of one deletion: a lookup, the deletion, and a lookup to verify it.
  static let requestsOfCleaning = 3

  /// The largest number of deletions.
  private static func cleanings(_ scenarios: [Scenario], isEmulated: Bool) -> Int {
    if isEmulated { return scenarios.count { $0.names > 0 } }
    let phones = scenarios.count { $0.usesPhones }
    let names = scenarios.reduce(0) { $0 + $1.names }
    return phones + names / cleaningThreshold + (scenarios.count + cleaningInterval - 1)
      / cleaningInterval
  }

  /// The largest number of accounts that scenarios create.
  static func accounts(_ scenarios: [Scenario]) -> Int {
    scenarios.reduce(0) { $0 + $1.accounts }
  }

  /// The number of sign-ups by clients, which Google limits per hour.
  static func signUps(_ scenarios: [Scenario]) -> Int {
    scenarios.reduce(0) { $0 + $1.signUps }
  }
}

extension Scenario {
  private static let signingUp = [
    "signUp", "signInWithCustomToken", "signInWithIdp", "signInWithEmailLink",
    "signInWithPhoneNumber",
  ]

  fileprivate var signUps: Int {
    steps.count { step in
      step.path.hasSuffix(":signUp") && !step.path.contains("/projects/")
        && step.body?["idToken"] == nil
    }
  }

  fileprivate var accounts: Int {
    steps.reduce(0) { sum, step in
      if let rows = step.body?["users"]?.array { return sum + rows.count }
      let makes =
        step.path.hasSuffix("/accounts")
        || Self.signingUp.contains { step.path.hasSuffix(":\($0)") }
      return sum + (makes && step.body?["idToken"] == nil ? 1 : 0)
    }
  }

  /// The largest number of uids, e-mail addresses and phone numbers needed to find its accounts.
  fileprivate var names: Int {
    steps.reduce(accounts) { sum, step in
      let content = [step.body, step.form, step.raw.map(JSON.string)].compactMap { $0 }
      return sum + content.reduce(0) { $0 + Self.names(in: $1) }
    }
  }

  private static func names(in value: JSON) -> Int {
    switch value {
    case .object(let object): object.entries.reduce(0) { $0 + names(in: $1.value) }
    case .array(let items): items.reduce(0) { $0 + names(in: $1) }
    case .string(let text): text.contains("{{prefix}}") || text.contains("{{phone") ? 1 : 0
    default: 0
    }
  }

  fileprivate var usesPhones: Bool {
    steps.contains { step in
      [step.body, step.form].contains { $0?.encoded().contains("{{phone") == true }
    }
  }
}
