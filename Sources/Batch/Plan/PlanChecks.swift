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
        if let email = address(of: fields) { list.append(.email(email)) }
      case .create(let account, _):
        if let uid = Self.uid(of: account) { list.append(.uid(uid)) }
        if let email = address(of: account) { list.append(.email(email)) }
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

  /// The e-mail address to check for conflicts; nil if several accounts may share an address.
  private func address(of fields: JSONObject) -> String? {
    oneAccountPerEmail ? fields["email"]?.string : nil
  }

  // MARK: Checks

  /// The simulated state of the accounts while the row's operations are checked one after the other.
  private struct Thought {
    let find: (UserIdentifier) -> [UserRecord]
    /// The identities by uid, for accounts that earlier operations of the row changed.
    var changed: [String: [(String, String)]] = [:]
    var gone: Set<String> = []
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

    func check(email: String, of uid: String) throws(RowFailure) {
      for owner in find(.email(email)) where owner.uid != uid && !gone.contains(owner.uid) {
        throw PlanFaults.shared(email, with: owner.uid)
      }
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
      thought.gone.insert(loser)
    case .update(let uid, let fields, _):
      claims.append(.part(uid: uid))
      claims += fields.keys.map { .field(uid: uid, name: $0) }
      if let email = address(of: fields) {
        try thought.check(email: email, of: uid)
        claims.append(.email(email))
      }
    case .create(let account, _):
      guard let uid = Self.uid(of: account) else { return }
      if thought.exists(uid) { throw PlanFaults.existing(uid) }
      claims.append(.whole(uid: uid))
      thought.made.insert(uid)
      for (provider, raw) in Self.identities(of: account) {
        try thought.link(provider, raw, to: uid)
        claims.append(.identity(providerID: provider, rawID: raw))
      }
      if let email = address(of: account) {
        try thought.check(email: email, of: uid)
        claims.append(.email(email))
      }
    case .delete(let uid):
      thought.gone.insert(uid)
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

  private static func uid(of account: JSONObject) -> String? {
    account["uid"]?.string ?? account["localId"]?.string
  }

  private static func identities(of account: JSONObject) -> [(String, String)] {
    let list = account["providerData"]?.array ?? account["providerUserInfo"]?.array ?? []
    return list.compactMap { $0.object.flatMap(names) }.filter { !own.contains($0.0) }
  }
}

/// Compares bytes, because `==` treats canonically equivalent strings as equal.
private func exactly(_ one: String, _ other: String) -> Bool {
  ExactString(one) == ExactString(other)
}
