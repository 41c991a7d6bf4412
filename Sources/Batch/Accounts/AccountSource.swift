import Client
import System
import IdentityToolkit

/// The source of accounts for planning; used on the thread of the script's loop.
protocol AccountSource: AnyObject {
  /// The accounts for each of up to `Admin.mostLookedUp` identifiers.
  func find(_ identifiers: [UserIdentifier]) async throws(AdminError) -> [[UserRecord]]

  /// Whether a lookup by an e-mail address returns all accounts that share it.
  var findsAllByEmail: Bool { get }

  /// Whether the project allows only one account per e-mail address, as far as the source can determine.
  func oneAccountPerEmail() async throws(AdminError) -> Bool
}

/// An identifier as a dictionary key: equal for identifiers of the same account, such as e-mails in other case.
struct AccountKey: Hashable {
  private enum Kind: Hashable {
    case uid, email, phoneNumber, identity
  }

  private let kind: Kind
  private let name: ExactString
  /// The provider of an identity; empty for other kinds.
  private let provider: ExactString

  init(_ identifier: UserIdentifier) {
    switch identifier {
    case .uid(let uid): self.init(.uid, uid)
    // The backend stores e-mail addresses in lower case.
    case .email(let email): self.init(.email, email.lowercased())
    case .phoneNumber(let number): self.init(.phoneNumber, number)
    case .provider(let id, let uid): self.init(.identity, uid, of: id)
    }
  }

  private init(_ kind: Kind, _ name: String, of provider: String = "") {
    self.kind = kind
    self.name = ExactString(name)
    self.provider = ExactString(provider)
  }

  /// A hash for collections of millions; it differs between processes, because `Hasher` is seeded randomly.
  var number: UInt64 {
    var hasher = Hasher()
    hash(into: &hasher)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension UserRecord {
  var identifiers: [UserIdentifier] {
    var list: [UserIdentifier] = [.uid(uid)]
    if let email { list.append(.email(email)) }
    if let phoneNumber { list.append(.phoneNumber(phoneNumber)) }
    return list + providerData.map { .provider(id: $0.providerID, uid: $0.uid) }
  }
}

/// Looks up accounts at the backend, up to a hundred per call.
final class LiveAccounts: AccountSource {
  private let admin: Admin

  init(_ admin: Admin) { self.admin = admin }

  func find(_ identifiers: [UserIdentifier]) async throws(AdminError) -> [[UserRecord]] {
    var owners: [AccountKey: [UserRecord]] = [:]
    for json in try await admin.lookUpWire(identifiers) {
      let user = try UserRecord(wire: json)
      for key in Set(user.identifiers.map(AccountKey.init)) {
        owners[key, default: []].append(user)
      }
    }
    return identifiers.map { owners[AccountKey($0)] ?? [] }
  }

  /// False, because the backend returns one account per address, even if several share it.
  var findsAllByEmail: Bool { false }

  func oneAccountPerEmail() async throws(AdminError) -> Bool {
    try await admin.getProjectConfig()["signIn"]?["allowDuplicateEmails"]?.bool != true
  }
}
