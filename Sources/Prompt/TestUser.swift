import Host
import System

/// A test user of the emulated identity providers.
struct TestUser: Equatable {
  let email: String
  /// Nil for a user of another emulator who is not in the project file: no response has passwords.
  let password: String?
  /// The providers with an account of the user; nil for all.
  let providers: [String]?
  /// The domain of the user's Microsoft tenant; nil for a personal account.
  let tenant: String?

  /// Reads a test user as the emulator returns it.
  ///
  /// - Parameter passwords: the known passwords, by e-mail address.
  init(_ json: JSON, passwords: [String: String]) {
    let email = json["email"]?.string ?? ""
    self.email = email
    password = passwords[email]
    providers = json["providers"]?.array?.compactMap(\.string)
    tenant = json["microsoft"]?["tenant"]?.string
  }

  /// Where the user can sign in.
  private var places: String {
    let list = providers?.joined(separator: ", ") ?? "all providers"
    let isAtMicrosoft = providers?.contains("microsoft.com") ?? true
    return list + (isAtMicrosoft ? tenant.map { ", Microsoft tenant \($0)" } ?? "" : "")
  }

  /// The users in lines with columns.
  ///
  /// - Parameter showsPasswords: false where the output may go to a log.
  static func table(_ people: [TestUser], showsPasswords: Bool) -> String {
    let rows = people.map { person in
      [
        person.email.printable,
        person.password.map { showsPasswords ? $0.printable : "[secret]" } ?? "(unknown)",
        person.places.printable,
      ]
    }
    guard !rows.isEmpty else { return "" }
    let all = [["e-mail", "password", "providers"]] + rows
    let widths = (0..<2).map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return cells.joined(separator: "  ") + "  \(row[2])\n"
    }.joined()
  }
}
