import Emulator
public import System

/// Reads the test accounts of a target, from `targets.NAME.accounts` in the project file.
///
/// They are for real projects, where journeys cannot create all accounts they need.
struct AccountPool {
  private static let known = ["email", "password", "passwordVariable", "providers"]

  private let path: [String]
  private let environment: [String: String]

  init(_ path: [String], _ environment: [String: String]) {
    self.path = path
    self.environment = environment
  }

  /// The accounts for journeys, with `email`, `password` or `missing`, and `providers`.
  ///
  /// - Throws: An error in the file. A password variable that is not set is not an error: it is in `missing`, and only
  ///   fails journeys that take that account.
  func read(_ json: JSON) throws(ConfigurationError) -> [JSON] {
    guard let list = json.array else {
      throw problem(
        [], "must be a list of accounts", "such as { { email = …, passwordVariable = … } }")
    }
    var accounts: [JSON] = []
    var seen: Set<String> = []
    for (position, value) in list.enumerated() {
      let place = [String(position + 1)]
      let account = try account(value, place)
      let email = account["email"]?.string ?? ""
      guard seen.insert(email.lowercased()).inserted else {
        throw problem(place, "the account \(email.printable) is there twice", "leave one out")
      }
      accounts.append(.object(account))
    }
    return accounts
  }

  private func account(
    _ json: JSON, _ place: [String]
  ) throws(ConfigurationError) -> JSONObject {
    guard let fields = json.object else {
      throw problem(place, "an account is a table", "such as { email = …, passwordVariable = … }")
    }
    if let key = fields.keys.first(where: { !Self.known.contains($0) }) {
      let near = nearestName(to: key, among: Self.known).map { "did you mean '\($0)'?" }
      throw problem(
        place + [key], "an account has no key '\(key.printable)'",
        near ?? "its fields are \(Self.known.joined(separator: ", "))")
    }
    guard let email = fields["email"]?.string, email.contains("@") else {
      throw problem(place + ["email"], "an account needs its e-mail address", "correct the value")
    }
    var account: JSONObject = ["email": .string(email)]
    if let variable = fields["passwordVariable"]?.string {
      if let password = environment[variable], !password.isEmpty {
        account["password"] = .string(password)
      } else {
        account["missing"] = .string(variable)
      }
    } else if let password = fields["password"]?.string {
      account["password"] = .string(password)
    } else {
      throw problem(
        place, "the account \(email.printable) has no password",
        "name the environment variable that holds it: passwordVariable = \"…\"")
    }
    account["providers"] = .array(try providers(fields["providers"], place))
    return account
  }

  private func providers(
    _ json: JSON?, _ place: [String]
  ) throws(ConfigurationError) -> [JSON] {
    guard let json else { return [] }
    guard let list = json.array, list.allSatisfy({ $0.string != nil }) else {
      throw problem(
        place + ["providers"], "must be a list of provider ids", "such as { \"google.com\" }")
    }
    return list
  }

  private func problem(
    _ keys: [String], _ message: String, _ hint: String
  ) -> ConfigurationError {
    ConfigurationError(path: path + keys, message: message, hint: hint)
  }
}

extension ProjectFile {
  /// The accounts of the run's target; none for the built-in emulator, where journeys create all accounts.
  public func accounts(of arguments: ParsedArguments) -> [JSON] {
    let isApp = arguments.values["config"] != nil
    return accounts[isApp ? Self.firebase : arguments.values["target"] ?? Self.emulator] ?? []
  }
}
