import Admin
import Encoding
import IdentityToolkit

/// A row that is being planned, and what was looked up for it.
final class OpenRow {
  let line: Int64
  let fields: JSONObject?
  var key: String?
  var claims: [PlanClaim] = []
  /// What identifiers name, as far as the row has asked.
  private(set) var known: [AccountKey: [UserRecord]] = [:]
  /// Addresses that several accounts have, with the uids.
  private(set) var sharedEmails: [(String, [String])] = []
  /// Counts how often the row was begun, so that answers of an earlier state do not come to a later one.
  private(set) var attempt = 0
  var isOver = false

  init(line: Int64, fields: JSONObject?) {
    self.line = line
    self.fields = fields
  }

  /// Whether the line could be read.
  var isReadable: Bool { fields != nil }

  /// Begins anew.
  func reset() {
    attempt += 1
    known = [:]
    sharedEmails = []
    key = nil
  }

  /// Takes note of what an identifier names, and of what the accounts tell besides.
  func learn(_ identifier: UserIdentifier, _ users: [UserRecord]) {
    known[AccountKey(identifier)] = users
    if case .email(let email) = identifier, users.count > 1 {
      sharedEmails.append((email, users.map(\.uid)))
    }
    for user in users {
      known[AccountKey(.uid(user.uid))] = [user]
      for info in user.providerData {
        known[AccountKey(.provider(id: info.providerID, uid: info.uid))] = [user]
      }
    }
  }
}
