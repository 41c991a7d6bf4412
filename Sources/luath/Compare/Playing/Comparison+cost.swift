import Host
import System

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
