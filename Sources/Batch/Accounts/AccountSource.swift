import Admin
import Encoding
import IdentityToolkit

/// Where a plan looks accounts up; used on the thread of the script's loop.
protocol AccountSource: AnyObject {
  /// The accounts that each of up to `Admin.mostLookedUp` identifiers names.
  func find(_ identifiers: [UserIdentifier]) async throws(AdminError) -> [[UserRecord]]

  /// Whether it gives all accounts of an address where several share one.
  var findsAllByEmail: Bool { get }

  /// Whether the project keeps several accounts from having the same address, as far as the source can know.
  func oneAccountPerEmail() async throws(AdminError) -> Bool
}

/// An identifier as a key: two that name the same account have the same one.
struct AccountKey: Hashable {
  private enum Kind: Hashable {
    case uid, email, phoneNumber, identity
  }

  private let kind: Kind
  private let name: ExactString
  /// The provider, for an identity; else nothing.
  private let provider: ExactString

  init(_ identifier: UserIdentifier) {
    switch identifier {
    case .uid(let uid): self.init(.uid, uid)
    // Addresses are kept in lower case.
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

  /// A number for whoever keeps millions of them; the same within one process only.
  var number: UInt64 {
    var hasher = Hasher()
    hash(into: &hasher)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension UserRecord {
  /// All identifiers that name the account.
  var identifiers: [UserIdentifier] {
    var list: [UserIdentifier] = [.uid(uid)]
    if let email { list.append(.email(email)) }
    if let phoneNumber { list.append(.phoneNumber(phoneNumber)) }
    return list + providerData.map { .provider(id: $0.providerID, uid: $0.uid) }
  }
}

/// Looks accounts up at the backend, a hundred in one call.
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

  /// The backend names one account for an address, whatever the project allows.
  var findsAllByEmail: Bool { false }

  func oneAccountPerEmail() async throws(AdminError) -> Bool {
    try await admin.getProjectConfig()["signIn"]?["allowDuplicateEmails"]?.bool != true
  }
}
