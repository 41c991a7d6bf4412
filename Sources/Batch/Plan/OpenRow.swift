import Client
import System
import IdentityToolkit

/// A row that is being planned, with the results of its lookups.
final class OpenRow {
  let line: Int64
  let fields: JSONObject?
  var key: String?
  var claims: [PlanClaim] = []
  /// The accounts found so far, by identifier.
  private(set) var known: [AccountKey: [UserRecord]] = [:]
  /// E-mail addresses that several accounts have, with the uids of these accounts.
  private(set) var sharedEmails: [(String, [String])] = []
  /// Incremented on each restart, so that the results of an earlier attempt's lookups are discarded.
  private(set) var attempt = 0
  var isOver = false

  init(line: Int64, fields: JSONObject?) {
    self.line = line
    self.fields = fields
  }

  var isReadable: Bool { fields != nil }

  func reset() {
    attempt += 1
    known = [:]
    sharedEmails = []
    key = nil
  }

  /// Stores the result of a lookup, also under the uid and identities of the accounts found.
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
