import Client
import Host
import IdentityToolkit
import System

/// Something that only one row of a plan may use or change.
enum PlanClaim {
  case key(String)
  case identity(providerID: String, rawID: String)
  /// The slot of a provider in an account; an account holds one identity per provider.
  case provider(uid: String, providerID: String)
  /// An address, as the backend stores it.
  case email(String)
  /// A phone number, as the backend stores it.
  case phoneNumber(String)
  case field(uid: String, name: String)
  /// Part of an account; several rows may claim parts of the same account.
  case part(uid: String)
  /// A whole account, which the row deletes or creates.
  case whole(uid: String)
  /// A field that the row changes; several rows may, and the last one counts.
  case change(uid: String, field: String)
}

/// The claims of the rows so far, each stored as a 64-bit hash: the newest in memory, the others in a file.
///
/// A hash collision would refuse a row without a reason, but is practically impossible.
struct PlanClaims: ~Copyable {
  private var newest: [UInt64: UInt32] = [:]
  private var older: NumberIndex<UInt32>?
  /// How many claims are kept in memory.
  private var room: Int

  /// - Parameter room: How many claims are kept in memory at first.
  init(room: Int = 1 << 20) { self.room = room }

  /// Records all claims of a row, or none.
  ///
  /// - Throws: A row error if an earlier row holds one of the claims.
  mutating func take(_ claims: [PlanClaim], for row: Int64) throws(RowFailure) {
    let row = UInt32(truncatingIfNeeded: row)
    var made: [UInt64] = []
    made.reserveCapacity(claims.count)
    for claim in claims {
      let number = claim.number
      let known = self.row(of: number)
      if let fault = fault(of: claim, known, for: row) { throw fault }
      if known == nil || claim.isShared { made.append(number) }
    }
    for number in made { newest[number] = row }
  }

  /// Moves the claims from memory to the file if there are many; call it between two rows.
  mutating func makeRoom() throws(SystemError) {
    guard newest.count >= room else { return }
    if older == nil { older = try NumberIndex(leastPairs: room) }
    for (number, row) in newest { try older?.add(number, row) }
    try older?.flush()
    room = older?.sizeOfNextPart ?? room
    newest.removeAll(keepingCapacity: true)
  }

  /// The earlier row than this one that holds the claim itself.
  func row(of claim: PlanClaim, before row: Int64) -> Int64? {
    self.row(of: claim.number).flatMap {
      $0 < UInt32(truncatingIfNeeded: row) ? Int64($0) : nil
    }
  }

  /// The last row that made a claim with this hash.
  private func row(of number: UInt64) -> UInt32? {
    newest[number] ?? older?.values(of: number).max()
  }

  /// Why a row cannot have a claim that `known` holds; nil if it can.
  private func fault(of claim: PlanClaim, _ known: UInt32?, for row: UInt32) -> RowFailure? {
    var holder = known
    var isOnlyPart = false
    switch claim {
    case .part(let uid): holder = self.row(of: PlanClaim.whole(uid: uid).number)
    case .whole(let uid) where known == nil || known == row:
      holder = self.row(of: PlanClaim.part(uid: uid).number)
      isOnlyPart = true
    case .change: return nil
    default: break
    }
    guard let holder, holder != row else { return nil }
    return claim.fault(row: holder, isOnlyPart: isOnlyPart)
  }
}

extension PlanClaim {
  /// A hash of the claim; it differs between processes, because `Hasher` is seeded randomly.
  fileprivate var number: UInt64 {
    var hasher = Hasher()
    func add(_ kind: UInt8, _ texts: String...) {
      hasher.combine(kind)
      for text in texts { hasher.combine(ExactString(text)) }
    }
    switch self {
    case .key(let key): add(0, key)
    case .identity(let providerID, let rawID): add(1, providerID, rawID)
    case .provider(let uid, let providerID): add(2, uid, providerID)
    case .email(let email): add(3, email)
    case .field(let uid, let name): add(4, uid, name)
    case .part(let uid): add(5, uid)
    case .whole(let uid): add(6, uid)
    case .phoneNumber(let number): add(7, number)
    case .change(let uid, let field): add(8, uid, field)
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Whether several rows may make the claim.
  fileprivate var isShared: Bool {
    if case .change = self { true } else { false }
  }

  fileprivate func fault(row: UInt32, isOnlyPart: Bool) -> RowFailure {
    switch self {
    case .key(let key):
      RowFailure("duplicateKey", "row \(row) has the key \(PlanFaults.brief(key)) as well")
    case .identity(let providerID, let rawID):
      RowFailure(
        "identityClaimedTwice",
        "row \(row) has \(PlanFaults.brief(rawID)) of \(PlanFaults.brief(providerID)) as well")
    case .provider(let uid, let providerID):
      RowFailure(
        "providerClaimedTwice",
        "row \(row) changes \(PlanFaults.brief(providerID)) of the account "
          + "\(PlanFaults.brief(uid)) as well")
    case .email(let email):
      RowFailure(
        "emailClaimedTwice", "row \(row) also sets \(PlanFaults.brief(email)) for an account")
    case .phoneNumber(let number):
      RowFailure(
        "phoneNumberClaimedTwice",
        "row \(row) also sets \(PlanFaults.brief(number)) for an account")
    case .field(let uid, let name), .change(let uid, let name):
      RowFailure(
        "fieldClaimedTwice",
        "row \(row) changes \(name) of the account \(PlanFaults.brief(uid)) as well")
    case .part(let uid):
      RowFailure(
        "accountClaimed",
        "row \(row) makes, merges or deletes the account \(PlanFaults.brief(uid))")
    case .whole(let uid):
      RowFailure(
        "accountClaimed",
        "row \(row) \(isOnlyPart ? "changes" : "makes, merges or deletes") the account "
          + "\(PlanFaults.brief(uid)), which this one would make, merge or delete")
    }
  }
}

/// The error messages of refused rows.
enum PlanFaults {
  /// Codes of errors that are conflicts between two rows, or between a row and the existing accounts.
  static let conflicts: Set<String> = [
    "duplicateKey", "identityClaimedTwice", "providerClaimedTwice", "emailClaimedTwice",
    "phoneNumberClaimedTwice", "fieldClaimedTwice", "accountClaimed", "credentialAlreadyInUse",
    "providerAlreadyLinked", "emailAlreadyInUse", "phoneNumberAlreadyExists", "uidAlreadyExists",
  ]

  /// Codes of errors that a change of an account after the plan may cause.
  static let ofAccounts: Set<String> = [
    "credentialAlreadyInUse", "providerAlreadyLinked", "emailAlreadyInUse",
    "phoneNumberAlreadyExists", "alreadyMerged",
  ]

  /// Why a lookup by an e-mail address that several accounts may share is rejected.
  static let oneOfSeveral = AdminError(
    .operationNotAllowed,
    "the project allows several accounts for one address, of which the backend names only one: plan "
      + "with --accounts EXPORT, or look up by uid or identity; if each address has "
      + "one account, write oneAccountPerEmail = true in batch.define")

  static func missing(column: String) -> RowFailure {
    RowFailure("missingColumn", "the row has no column '\(brief(column))', which the script needs")
  }

  static func noAccount(_ uid: String) -> RowFailure {
    RowFailure("userNotFound", "there is no account \(brief(uid))")
  }

  static func owned(_ providerID: String, _ rawID: String, by uid: String) -> RowFailure {
    RowFailure(
      "credentialAlreadyInUse",
      "\(brief(rawID)) of \(brief(providerID)) is on the account \(brief(uid)) already")
  }

  static func occupied(_ providerID: String, of uid: String) -> RowFailure {
    RowFailure(
      "providerAlreadyLinked",
      "the account \(brief(uid)) has another identity of \(brief(providerID)); unlink it first")
  }

  static func shared(_ email: String, with uid: String) -> RowFailure {
    RowFailure(
      "emailAlreadyInUse", "the account \(brief(uid)) has the address \(brief(email)) already")
  }

  static func shared(number: String, with uid: String) -> RowFailure {
    RowFailure(
      "phoneNumberAlreadyExists",
      "the account \(brief(uid)) has the phone number \(brief(number)) already")
  }

  static func existing(_ uid: String) -> RowFailure {
    RowFailure("uidAlreadyExists", "there is an account \(brief(uid)) already")
  }

  /// The text as messages quote it: on one line, at most 128 characters.
  static func brief(_ text: String) -> String {
    let shown = text.printable
    return shown.count <= 128 ? shown : "\(shown.prefix(128))…"
  }
}
