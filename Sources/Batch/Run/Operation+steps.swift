import Admin
public import Encoding
import IdentityToolkit

/// Accounts as the backend tells them, by uid; who is not in it was not looked up, or is not there.
public struct AccountImages: Sendable {
  private var images: [ExactString: JSON] = [:]

  /// No accounts.
  public init() {}

  /// The account of a uid; nil when there is none.
  public subscript(uid: String) -> JSON? {
    get { images[ExactString(uid)] }
    set { images[ExactString(uid)] = newValue }
  }
}

extension Operation {
  /// The claim that says which account has taken over the identities of this one.
  public static let mergedInto = "luath:mergedInto"

  /// The accounts it touches, which are looked up before its changes are made.
  public var uids: [String] {
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

  /// The calls that carry it out, one after the other, from the accounts as they were before the first of them.
  ///
  /// What is done already is among them: `Change.isDone` tells.
  ///
  /// - Throws: Why it cannot be carried out; nothing must be changed then.
  public func changes(for accounts: AccountImages) throws(RowFault) -> [Change] {
    switch self {
    case .link(let uid, let identity):
      let account = AccountImage(try Self.found(uid, accounts))
      let provider = identity["providerId"]?.string ?? ""
      let others = account.identities(at: provider).filter { $0["rawId"] != identity["rawId"] }
      guard others.isEmpty else {
        throw RowFault(
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
      // A custom token would make an account for a uid that has none.
      _ = try Self.found(uid, accounts)
      return [.linkAsUser(uid: uid, credential: credential)]
    case .custom(let name, let uid, let arguments):
      return [.custom(name: name, uid: uid, arguments: arguments)]
    case .followUp(let operation): return try operation.changes(for: accounts)
    }
  }

  private static func creation(
    _ account: JSONObject, _ hash: JSONObject?
  ) throws(RowFault) -> Change {
    try checked { () throws(AdminError) in
      let row = try ImportRow(.object(account))
      let kind = try hash.map { (hash) throws(AdminError) in try PasswordHashKind(.object(hash)) }
      if let problem = row.problem(hashed: kind) { throw AdminError(.invalidArgument, problem) }
      // A hash that says how nothing was hashed would keep accounts without one from going together.
      let members = row.wire["passwordHash"] == nil ? nil : kind?.members
      return .create(account: row.wire, hash: members, overwrites: false)
    }
  }

  static func found(_ uid: String, _ accounts: AccountImages) throws(RowFault) -> JSON {
    guard let account = accounts[uid] else {
      throw RowFault("userNotFound", "there is no account with the uid \(uid)")
    }
    return account
  }

  private static func checked<Value>(
    _ body: () throws(AdminError) -> Value
  ) throws(RowFault) -> Value {
    do throws(AdminError) {
      return try body()
    } catch {
      throw RowFault(error.code.rawValue, error.message)
    }
  }
}

/// Makes one account of two: unlinks from the loser, links to the survivor, and leaves the loser disabled under
/// a claim that names the survivor.
///
/// An identity is never at two accounts, so it is taken from one before the other gets it; the intent of the
/// first step holds the loser's image, from which the rest can always be made again. The password stays with
/// the loser, as no call moves a hash, and so does the e-mail address: the survivor keeps its own, or none. The
/// phone number moves when the survivor has none and `providers` does not leave `phone` out.
private struct Merge {
  private let survivor: String
  private let loser: String
  private let providers: [String]?
  private let kept: AccountImage
  private let given: AccountImage

  init(
    _ survivor: String, _ loser: String, _ providers: [String]?, _ accounts: AccountImages
  ) throws(RowFault) {
    guard ExactString(survivor) != ExactString(loser) else {
      throw RowFault("sameAccount", "an account cannot be merged into itself")
    }
    self.survivor = survivor
    self.loser = loser
    self.providers = providers
    kept = AccountImage(try Operation.found(survivor, accounts))
    given = AccountImage(try Operation.found(loser, accounts))
    if let other = kept.claims[Operation.mergedInto]?.string {
      throw RowFault(
        "alreadyMerged", "the survivor was merged into \(other): name that as the survivor")
    }
    if let other = given.claims[Operation.mergedInto]?.string,
      ExactString(other) != ExactString(survivor)
    {
      throw RowFault("alreadyMerged", "the loser was merged into \(other) already")
    }
  }

  func changes() throws(RowFault) -> [Change] {
    let moved = given.identities.filter { moves($0["providerId"]?.string ?? "") }
    for identity in moved {
      let provider = identity["providerId"]?.string ?? ""
      guard kept.identities(at: provider).allSatisfy({ $0["rawId"] == identity["rawId"] }) else {
        throw RowFault(
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

  /// The loser's claims with the one that names the survivor.
  private func claims() throws(RowFault) -> String {
    var claims = given.claims.object ?? [:]
    claims[Operation.mergedInto] = .string(survivor)
    let text = JSON.object(claims).encoded()
    guard text.utf8.count <= Self.mostClaims else {
      throw RowFault(
        "claimsTooLarge",
        "the loser's claims leave no room for the one that names the survivor: shorten them first")
    }
    return text
  }

  /// As much as claims may take up, in bytes of JSON.
  private static let mostClaims = 1000
}
