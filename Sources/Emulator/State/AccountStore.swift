internal import Encoding

/// The accounts of the project, found by uid, by e-mail address, or by an identity at a provider.
struct AccountStore {
  private var accounts: [ExactString: Account] = [:]
  private var uidByEmail: [ExactString: ExactString] = [:]
  private var uidByIdentity: [IdentityKey: ExactString] = [:]

  var count: Int { accounts.count }

  subscript(uid uid: String) -> Account? {
    accounts[ExactString(string: uid)]
  }

  subscript(email email: String) -> Account? {
    uidByEmail[ExactString(string: email)].flatMap { accounts[$0] }
  }

  subscript(identity: IdentityKey) -> Account? {
    uidByIdentity[identity].flatMap { accounts[$0] }
  }

  /// The account whose linked identity, rather than its own record, has the address.
  func account(withProviderEmail email: String) -> Account? {
    let wanted = ExactString(string: email)
    return accounts.values.first { account in
      account.identities.contains { $0.email.map { ExactString(string: $0) } == wanted }
    }
  }

  /// Stores an account, new or changed, and brings the indexes up to date.
  mutating func save(_ account: Account) {
    let uid = ExactString(string: account.uid)
    unindex(uid)
    accounts[uid] = account
    if let email = account.email { uidByEmail[ExactString(string: email)] = uid }
    for identity in account.identities { uidByIdentity[identity.key] = uid }
  }

  mutating func remove(uid: String) {
    let uid = ExactString(string: uid)
    unindex(uid)
    accounts[uid] = nil
  }

  mutating func removeAll() {
    self = AccountStore()
  }

  private mutating func unindex(_ uid: ExactString) {
    guard let old = accounts[uid] else { return }
    if let email = old.email, uidByEmail[ExactString(string: email)] == uid {
      uidByEmail[ExactString(string: email)] = nil
    }
    for identity in old.identities where uidByIdentity[identity.key] == uid {
      uidByIdentity[identity.key] = nil
    }
  }
}
