import Encoding

/// What a comparison costs, for who is going to start one.
extension Comparison {
  /// Requests outside of scenarios: examining both servers, finding and deleting accounts.
  public static func furtherRequests(_ scenarios: [Scenario]) -> Int {
    reserve + scenarios.count / 4
  }

  /// The largest number of accounts that scenarios make.
  public static func accounts(_ scenarios: [Scenario]) -> Int {
    scenarios.reduce(0) { $0 + $1.accounts }
  }

  /// How many of them clients make, which Google limits by the hour.
  public static func signUps(_ scenarios: [Scenario]) -> Int {
    scenarios.reduce(0) { $0 + $1.signUps }
  }
}

extension Scenario {
  /// The requests of the scenario, one line for each.
  public var requestLines: [String] {
    (steps + finally).map { step in
      let address = step.path.dropFirst().replacing("{{project}}", with: "PROJECT")
      return "\(step.method) \(address)"
    }
  }

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
}
