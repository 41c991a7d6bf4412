import Client
import Glibc
import IdentityToolkit
import System

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

/// Splits a file `{"users": [ … ]}` into its accounts, one after the other, in constant memory.
///
/// It scans only for the end of each account; invalid JSON within one is found when the account is parsed.
struct UserArray: ~Copyable {
  /// The maximum size of an account, in bytes.
  private static let mostBytes = 4 << 20

  private let file: UnsafeMutablePointer<FILE>
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var position = 0
  private var count = 0
  /// The buffer's offset in the file.
  private var start: Int64 = 0
  private var isInside = false

  /// Takes ownership of a file that is open for reading, at its start.
  init(_ file: UnsafeMutablePointer<FILE>) { self.file = file }

  deinit { fclose(file) }

  enum Fault: Error {
    case notAnExport
    case truncated
    case tooLarge
    case unreadable(Int32)
  }

  /// The next account's offset and text; nil after the last.
  mutating func next() throws(Fault) -> (offset: Int64, bytes: [UInt8])? {
    if !isInside { try enter() }
    while let byte = try peek() {
      switch byte {
      case UInt8(ascii: "]"): return nil
      case UInt8(ascii: "{"): return try element()
      case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: throw .notAnExport
      }
    }
    throw .truncated
  }

  /// Skips to the start of `users`, which must be the first array in the file.
  private mutating func enter() throws(Fault) {
    var seen = ""
    while let byte = try peek() {
      position += 1
      if byte == UInt8(ascii: "[") {
        guard seen.filter({ !$0.isWhitespace && $0 != "\u{FEFF}" }).hasSuffix("\"users\":") else {
          throw .notAnExport
        }
        isInside = true
        return
      }
      seen.unicodeScalars.append(Unicode.Scalar(byte))
      guard seen.utf8.count < 4096 else { throw .notAnExport }
    }
    throw seen.isEmpty ? .notAnExport : .truncated
  }

  private mutating func element() throws(Fault) -> (Int64, [UInt8]) {
    let offset = start + Int64(position)
    var bytes: [UInt8] = []
    var end = ElementEnd()
    while let byte = try peek() {
      position += 1
      bytes.append(byte)
      guard bytes.count <= Self.mostBytes else { throw .tooLarge }
      if end.takes(byte) { return (offset, bytes) }
    }
    throw .truncated
  }

  private mutating func peek() throws(Fault) -> UInt8? {
    if position == count {
      start += Int64(count)
      position = 0
      count = fread(&buffer, 1, buffer.count, file)
      if count == 0 {
        guard ferror(file) == 0 else { throw .unreadable(errno) }
        return nil
      }
    }
    return buffer[position]
  }
}
