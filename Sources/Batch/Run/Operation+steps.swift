import Client
import IdentityToolkit
import System

/// Accounts from the backend by uid; an account that is missing does not exist or was not looked up.
struct AccountImages: Sendable {
  private var images: [ExactString: JSON] = [:]

  /// The account of a uid; nil when there is none.
  subscript(uid: String) -> JSON? {
    get { images[ExactString(uid)] }
    set { images[ExactString(uid)] = newValue }
  }
}

extension Operation {
  /// The custom claim of a merged account; its value is the survivor's uid.
  static let mergedInto = "luath:mergedInto"

  /// The accounts it changes, which are looked up before its changes are computed.
  var uids: [String] {
    switch self {
    case .link(let uid, _), .unlink(let uid, _), .update(let uid, _, _), .delete(let uid),
      .linkAsUser(let uid, _):
      [uid]
    case .merge(let survivor, let loser, _): [survivor, loser]
    case .create(let account, _): account["uid"]?.string.map { [$0] } ?? []
    case .custom(_, let uid, _): uid.map { [$0] } ?? []
    case .followUp(let operation): operation.uids
    }
  }

  /// The changes that carry out the operation, in order, computed from the accounts before the first of them.
  ///
  /// Changes that are already in effect are included; check them with `Change.isDone`.
  ///
  /// - Throws: If the operation cannot be carried out; then no change may be made.
  func changes(for accounts: AccountImages) throws(RowFailure) -> [Change] {
    switch self {
    case .link(let uid, let identity):
      let account = AccountImage(try Self.found(uid, accounts))
      let provider = identity["providerId"]?.string ?? ""
      let others = account.identities(at: provider).filter { $0["rawId"] != identity["rawId"] }
      guard others.isEmpty else {
        throw RowFailure(
          "providerAlreadyLinked",
          "the account has another identity at \(provider): unlink it first in the same row")
      }
      return [
        .update(
          uid: uid,
          body: ["linkProviderUserInfo": AccountImage.linkable(.object(identity))])
      ]
    case .unlink(let uid, let provider):
      _ = try Self.found(uid, accounts)
      return [.update(uid: uid, body: ["deleteProvider": [.string(provider)]])]
    case .merge(let survivor, let loser, let providers):
      return try Merge(survivor, loser, providers, accounts).changes()
    case .update(let uid, let fields, _):
      _ = try Self.found(uid, accounts)
      return [
        .update(
          uid: uid,
          body: try Self.checked { () throws(AdminError) in
            try UserChanges(.object(fields)).wire
          })
      ]
    case .create(let account, let hash): return [try Self.creation(account, hash)]
    case .delete(let uid): return [.delete(uid: uid)]
    case .linkAsUser(let uid, let credential):
      // With a custom token, the backend would create an account for an unknown uid.
      _ = try Self.found(uid, accounts)
      return [.linkAsUser(uid: uid, credential: credential)]
    case .custom(let name, let uid, let arguments):
      return [.custom(name: name, uid: uid, arguments: arguments)]
    case .followUp(let operation): return try operation.changes(for: accounts)
    }
  }

  private static func creation(
    _ account: JSONObject, _ hash: JSONObject?
  ) throws(RowFailure) -> Change {
    try checked { () throws(AdminError) in
      let row = try ImportRow(.object(account))
      let kind = try hash.map { (hash) throws(AdminError) in try PasswordHashKind(.object(hash)) }
      if let problem = row.problem(hashed: kind) { throw AdminError(.invalidArgument, problem) }
      // Drop hash parameters if there is no hash, so that such accounts share a call with other accounts without one.
      let members = row.wire["passwordHash"] == nil ? nil : kind?.members
      return .create(account: row.wire, hash: members, overwrites: false)
    }
  }

  static func found(_ uid: String, _ accounts: AccountImages) throws(RowFailure) -> JSON {
    guard let account = accounts[uid] else {
      throw RowFailure("userNotFound", "there is no account with the uid \(uid)")
    }
    return account
  }

  private static func checked<Value>(
    _ body: () throws(AdminError) -> Value
  ) throws(RowFailure) -> Value {
    do throws(AdminError) {
      return try body()
    } catch {
      throw RowFailure(error.code.rawValue, error.message)
    }
  }
}

/// Merges two accounts: unlinks the identities from the loser, links them to the survivor, and disables the loser
/// with a claim that names the survivor.
///
/// Two accounts cannot have the same identity, so it is unlinked before it is linked. The intent of the first step
/// holds the loser's account, from which an interrupted merge continues. The password stays with the loser, because
/// no call moves a hash; so does the e-mail address: the survivor keeps its own, or none. The phone number moves if
/// the survivor has none and `providers` is not given or includes `phone`.
private struct Merge {
  private let survivor: String
  private let loser: String
  private let providers: [String]?
  private let kept: AccountImage
  private let given: AccountImage

  init(
    _ survivor: String, _ loser: String, _ providers: [String]?, _ accounts: AccountImages
  ) throws(RowFailure) {
    guard ExactString(survivor) != ExactString(loser) else {
      throw RowFailure("sameAccount", "an account cannot be merged into itself")
    }
    self.survivor = survivor
    self.loser = loser
    self.providers = providers
    kept = AccountImage(try Operation.found(survivor, accounts))
    given = AccountImage(try Operation.found(loser, accounts))
    if let other = kept.claims[Operation.mergedInto]?.string {
      throw RowFailure(
        "alreadyMerged", "the survivor was merged into \(other): name that as the survivor")
    }
    if let other = given.claims[Operation.mergedInto]?.string,
      ExactString(other) != ExactString(survivor)
    {
      throw RowFailure("alreadyMerged", "the loser was merged into \(other) already")
    }
  }

  func changes() throws(RowFailure) -> [Change] {
    let moved = given.identities.filter { moves($0["providerId"]?.string ?? "") }
    for identity in moved {
      let provider = identity["providerId"]?.string ?? ""
      guard kept.identities(at: provider).allSatisfy({ $0["rawId"] == identity["rawId"] }) else {
        throw RowFailure(
          "providerAlreadyLinked",
          "both accounts have an identity at \(provider), and one account can have one: unlink "
            + "either first, or name the other providers in providers")
      }
    }
    let movesPhone = moves("phone") && given["phoneNumber"] != nil && kept["phoneNumber"] == nil
    let tombstone = try claims()
    var changes: [Change] = []
    var unlinked = moved.compactMap { $0["providerId"] }
    if movesPhone { unlinked.append("phone") }
    if !unlinked.isEmpty {
      changes.append(.update(uid: loser, body: ["deleteProvider": .array(unlinked)]))
    }
    changes += moved.map {
      .update(uid: survivor, body: ["linkProviderUserInfo": AccountImage.linkable($0)])
    }
    if movesPhone, let number = given["phoneNumber"] {
      changes.append(.update(uid: survivor, body: ["phoneNumber": number]))
    }
    changes.append(
      .update(uid: loser, body: ["disableUser": true, "customAttributes": .string(tombstone)]))
    return changes
  }

  private func moves(_ provider: String) -> Bool { providers?.contains(provider) ?? true }

  /// The loser's claims plus the one that names the survivor.
  private func claims() throws(RowFailure) -> String {
    var claims = given.claims.object ?? [:]
    claims[Operation.mergedInto] = .string(survivor)
    let text = JSON.object(claims).encoded()
    guard text.utf8.count <= Self.mostClaims else {
      throw RowFailure(
        "claimsTooLarge",
        "the loser's claims leave no space for the claim that names the survivor: shorten them first"
      )
    }
    return text
  }

  /// The maximum size of custom claims, in bytes of JSON.
  private static let mostClaims = 1000
}

struct CustomFailure: Error, Sendable {
  /// The error for the row, without secrets.
  let fault: RowFailure
  /// Whether a retry may succeed.
  let isRetryable: Bool
  /// Whether the operation may have taken effect in spite of the failure.
  let isOutcomeUnknown: Bool

  init(_ fault: RowFailure, isRetryable: Bool = false, isOutcomeUnknown: Bool = false) {
    self.fault = fault
    self.isRetryable = isRetryable
    self.isOutcomeUnknown = isOutcomeUnknown
  }
}
