import Client
import System
import IdentityToolkit

/// Determines which accounts to look up for a row's operations, and checks the operations against them.
struct PlanChecks {
  private let operations: [Operation]
  /// Whether the project allows only one account per e-mail address.
  private let oneAccountPerEmail: Bool

  init(_ operations: [Operation], oneAccountPerEmail: Bool) {
    self.operations = operations
    self.oneAccountPerEmail = oneAccountPerEmail
  }

  /// Providers whose identities are fields of the account and are never linked.
  private static let own: Set<String> = ["password", "phone", "emailLink"]

  // MARK: Lookups

  var identifiers: [UserIdentifier] {
    var list: [UserIdentifier] = []
    for operation in operations {
      switch operation {
      case .link(let uid, let identity):
        list.append(.uid(uid))
        if let (provider, raw) = Self.names(identity) {
          list.append(.provider(id: provider, uid: raw))
        }
      case .unlink(let uid, _), .delete(let uid), .linkAsUser(let uid, _): list.append(.uid(uid))
      case .merge(let survivor, let loser, _): list += [.uid(survivor), .uid(loser)]
      case .update(let uid, let fields, _):
        list.append(.uid(uid))
        list += unique(in: fields)
      case .create(let account, _):
        if let uid = Self.uid(of: account) { list.append(.uid(uid)) }
        list += unique(in: account)
        list += Self.identities(of: account).map { .provider(id: $0.0, uid: $0.1) }
      case .custom(_, let uid, _): if let uid { list.append(.uid(uid)) }
      case .followUp: break
      }
    }
    return list.filter { identifier in
      switch identifier {
      case .uid(let text), .email(let text), .phoneNumber(let text): !text.isEmpty
      case .provider(let id, let uid): !id.isEmpty && !uid.isEmpty
      }
    }
  }

  /// The values to set that only one account may have, as the backend stores them.
  private func unique(in fields: JSONObject) -> [UserIdentifier] {
    var list: [UserIdentifier] = []
    if oneAccountPerEmail, let email = fields["email"]?.string.flatMap(EmailAddress.normalized) {
      list.append(.email(email))
    }
    if let number = fields["phoneNumber"]?.string.flatMap(PhoneNumber.normalized) {
      list.append(.phoneNumber(number))
    }
    return list
  }

  // MARK: Checks

  /// The simulated state of the accounts while the row's operations are checked one after the other.
  private struct Thought {
    let find: (UserIdentifier) -> [UserRecord]
    /// The identities by uid, for accounts that earlier operations of the row changed.
    var changed: [String: [(String, String)]] = [:]
    /// The addresses and phone numbers by uid that earlier operations of the row changed; nil for removed ones.
    var emails: [String: String?] = [:]
    var numbers: [String: String?] = [:]
    /// The accounts that later operations cannot name: deleted ones and losers of merges.
    var gone: Set<String> = []
    /// The deleted accounts, without losers, which keep their address until `luath batch finalize`.
    var deleted: Set<String> = []
    var made: Set<String> = []

    func exists(_ uid: String) -> Bool {
      !gone.contains(uid) && (made.contains(uid) || !find(.uid(uid)).isEmpty)
    }

    func identities(of uid: String) -> [(String, String)] {
      changed[uid]
        ?? find(.uid(uid)).first?.providerData.map { ($0.providerID, $0.uid) } ?? []
    }

    mutating func unlink(_ providerID: String, of uid: String) {
      changed[uid] = identities(of: uid).filter { !exactly($0.0, providerID) }
      if exactly(providerID, "phone") { numbers.updateValue(nil, forKey: uid) }
    }

    mutating func link(_ providerID: String, _ rawID: String, to uid: String) throws(RowFailure) {
      let known = identities(of: uid)
      if let held = known.first(where: { exactly($0.0, providerID) }) {
        guard exactly(held.1, rawID) else { throw PlanFaults.occupied(providerID, of: uid) }
        return
      }
      for owner in find(.provider(id: providerID, uid: rawID)) + changedAccounts(but: uid)
      where owner.uid != uid && !gone.contains(owner.uid) {
        if identities(of: owner.uid).contains(where: {
          exactly($0.0, providerID) && exactly($0.1, rawID)
        }) {
          throw PlanFaults.owned(providerID, rawID, by: owner.uid)
        }
      }
      changed[uid] = known + [(providerID, rawID)]
    }

    private func changedAccounts(but uid: String) -> [UserRecord] {
      changed.keys.filter { $0 != uid }.sorted().flatMap { find(.uid($0)) }
    }

    mutating func set(_ identifier: UserIdentifier, of uid: String) throws(RowFailure) {
      switch identifier {
      case .email(let email):
        if let owner = owner(of: identifier, email, emails, but: uid) {
          throw PlanFaults.shared(email, with: owner)
        }
        emails[uid] = email
      case .phoneNumber(let number):
        if let owner = owner(of: identifier, number, numbers, but: uid) {
          throw PlanFaults.shared(number: number, with: owner)
        }
        numbers[uid] = number
      case .uid, .provider: break
      }
    }

    /// Removes the address and the phone number that an update clears with false.
    mutating func clear(_ fields: JSONObject, of uid: String) {
      if fields["email"]?.bool == false { emails.updateValue(nil, forKey: uid) }
      if fields["phoneNumber"]?.bool == false { numbers.updateValue(nil, forKey: uid) }
    }

    /// Moves the phone number as a merge does; nil if it stays with the loser.
    mutating func moveNumber(of loser: String, to survivor: String) -> String? {
      guard number(of: survivor) == nil, let number = number(of: loser) else { return nil }
      numbers.updateValue(nil, forKey: loser)
      numbers[survivor] = number
      return number
    }

    private func number(of uid: String) -> String? {
      numbers[uid] ?? find(.uid(uid)).first?.phoneNumber
    }

    /// The account that has the value, given the values that the row changed so far.
    private func owner(
      of identifier: UserIdentifier, _ value: String, _ changed: [String: String?], but uid: String
    ) -> String? {
      let unchanged = find(identifier).lazy.map(\.uid).filter { changed.index(forKey: $0) == nil }
      let assigned = changed.lazy.filter { $0.value.map { exactly($0, value) } == true }.map(\.key)
      return (Array(unchanged) + Array(assigned)).first { $0 != uid && !deleted.contains($0) }
    }
  }

  /// Checks the operations against the accounts found.
  ///
  /// - Returns: What the row claims exclusively.
  /// - Throws: Why the row must be refused.
  func judge(_ find: @escaping (UserIdentifier) -> [UserRecord]) throws(RowFailure) -> [PlanClaim] {
    var thought = Thought(find: find)
    var claims: [PlanClaim] = []
    for operation in operations {
      for uid in Self.existing(operation) where !thought.exists(uid) {
        throw PlanFaults.noAccount(uid)
      }
      try judge(operation, &thought, &claims)
    }
    return claims
  }

  private func judge(
    _ operation: Operation, _ thought: inout Thought, _ claims: inout [PlanClaim]
  ) throws(RowFailure) {
    switch operation {
    case .link(let uid, let identity):
      claims.append(.part(uid: uid))
      guard let (provider, raw) = Self.names(identity) else { return }
      try thought.link(provider, raw, to: uid)
      claims += [
        .identity(providerID: provider, rawID: raw), .provider(uid: uid, providerID: provider),
      ]
    case .unlink(let uid, let provider):
      thought.unlink(provider, of: uid)
      claims += [.part(uid: uid), .provider(uid: uid, providerID: provider)]
    case .merge(let survivor, let loser, let providers):
      claims += [.part(uid: survivor), .whole(uid: loser)]
      for (provider, raw) in thought.identities(of: loser)
      where !Self.own.contains(provider) && providers?.contains(provider) != false {
        thought.unlink(provider, of: loser)
        try thought.link(provider, raw, to: survivor)
        claims += [
          .identity(providerID: provider, rawID: raw),
          .provider(uid: survivor, providerID: provider),
        ]
      }
      if providers?.contains("phone") != false,
        let number = thought.moveNumber(of: loser, to: survivor)
      {
        claims.append(.phoneNumber(number))
      }
      thought.gone.insert(loser)
    case .update(let uid, let fields, _):
      claims.append(.part(uid: uid))
      claims += fields.keys.map { .field(uid: uid, name: $0) }
      thought.clear(fields, of: uid)
      try assign(fields, to: uid, &thought, &claims)
    case .create(let account, _):
      guard let uid = Self.uid(of: account) else { return }
      if thought.exists(uid) { throw PlanFaults.existing(uid) }
      claims.append(.whole(uid: uid))
      thought.made.insert(uid)
      for (provider, raw) in Self.identities(of: account) {
        try thought.link(provider, raw, to: uid)
        claims.append(.identity(providerID: provider, rawID: raw))
      }
      try assign(account, to: uid, &thought, &claims)
    case .delete(let uid):
      thought.gone.insert(uid)
      thought.deleted.insert(uid)
      claims.append(.whole(uid: uid))
    case .linkAsUser(let uid, let credential):
      claims.append(.part(uid: uid))
      if let provider = credential["providerId"]?.string {
        claims.append(.provider(uid: uid, providerID: provider))
      }
    case .custom(_, let uid, _): if let uid { claims.append(.part(uid: uid)) }
    case .followUp(let operation):
      throw RowFailure("invalidOperation", "\(operation.kind) is nothing that a script can ask for")
    }
  }

  /// Sets the address and the phone number of an account, and claims both.
  private func assign(
    _ fields: JSONObject, to uid: String, _ thought: inout Thought, _ claims: inout [PlanClaim]
  ) throws(RowFailure) {
    for identifier in unique(in: fields) {
      try thought.set(identifier, of: uid)
      switch identifier {
      case .email(let email): claims.append(.email(email))
      case .phoneNumber(let number): claims.append(.phoneNumber(number))
      case .uid, .provider: break
      }
    }
  }

  /// The accounts that an operation requires to exist.
  private static func existing(_ operation: Operation) -> [String] {
    switch operation {
    case .link(let uid, _), .unlink(let uid, _), .update(let uid, _, _), .delete(let uid),
      .linkAsUser(let uid, _):
      [uid]
    case .merge(let survivor, let loser, _): [survivor, loser]
    case .custom(_, let uid, _): uid.map { [$0] } ?? []
    case .create, .followUp: []
    }
  }

  private static func names(_ identity: JSONObject) -> (String, String)? {
    guard let provider = identity["providerId"]?.string ?? identity["providerID"]?.string,
      let raw = identity["rawId"]?.string ?? identity["uid"]?.string
    else { return nil }
    return (provider, raw)
  }

  static func uid(of account: JSONObject) -> String? {
    account["uid"]?.string ?? account["localId"]?.string
  }

  static func identities(of account: JSONObject) -> [(String, String)] {
    let list = account["providerData"]?.array ?? account["providerUserInfo"]?.array ?? []
    return list.compactMap { $0.object.flatMap(names) }.filter { !own.contains($0.0) }
  }
}

/// Compares bytes, because `==` treats canonically equivalent strings as equal.
private func exactly(_ one: String, _ other: String) -> Bool {
  ExactString(one) == ExactString(other)
}
