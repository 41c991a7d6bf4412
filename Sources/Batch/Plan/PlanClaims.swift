import Encoding

/// What a row wants for itself, so that no other row may want it as well.
enum PlanClaim {
  /// The row's key.
  case key(String)
  /// A person's identity at a provider.
  case identity(providerID: String, rawID: String)
  /// The place of a provider in an account, which holds one identity of each.
  case provider(uid: String, providerID: String)
  /// An address.
  case email(String)
  /// A field of an account.
  case field(uid: String, name: String)
  /// An account, to change something about it; others may do so too.
  case part(uid: String)
  /// A whole account, which is gone afterwards or was not there before.
  case whole(uid: String)
}

/// What the rows so far have claimed: a number of 64 bits for each claim, so that a million rows fit.
///
/// Two claims with one number, which never happens in practice, would refuse a row that could be planned.
struct PlanClaims {
  private var rows: [UInt64: UInt32] = [:]

  /// Takes what a row wants, all or nothing.
  ///
  /// - Throws: What another row has claimed before.
  mutating func take(_ claims: [PlanClaim], for row: Int64) throws(RowFault) {
    let row = UInt32(truncatingIfNeeded: row)
    for claim in claims {
      for (other, isOnlyPart) in holders(of: claim) where other != row {
        throw claim.fault(row: other, isOnlyPart: isOnlyPart)
      }
    }
    for claim in claims where rows[claim.number] == nil { rows[claim.number] = row }
  }

  /// The row that has claimed something, or a part of it.
  private func holders(of claim: PlanClaim) -> [(row: UInt32, isOnlyPart: Bool)] {
    var holders: [(UInt32, Bool)] = []
    switch claim {
    case .part(let uid):
      if let row = rows[PlanClaim.whole(uid: uid).number] { holders.append((row, false)) }
    case .whole(let uid):
      if let row = rows[claim.number] { holders.append((row, false)) }
      if let row = rows[PlanClaim.part(uid: uid).number] { holders.append((row, true)) }
    default: if let row = rows[claim.number] { holders.append((row, false)) }
    }
    return holders
  }
}

extension PlanClaim {
  /// The claim as a number, the same within one process only.
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
    case .email(let email): add(3, email.lowercased())
    case .field(let uid, let name): add(4, uid, name)
    case .part(let uid): add(5, uid)
    case .whole(let uid): add(6, uid)
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  fileprivate func fault(row: UInt32, isOnlyPart: Bool) -> RowFault {
    switch self {
    case .key(let key):
      RowFault("duplicateKey", "row \(row) has the key \(PlanFaults.brief(key)) as well")
    case .identity(let providerID, let rawID):
      RowFault(
        "identityClaimedTwice",
        "row \(row) has \(PlanFaults.brief(rawID)) of \(PlanFaults.brief(providerID)) as well")
    case .provider(let uid, let providerID):
      RowFault(
        "providerClaimedTwice",
        "row \(row) changes \(PlanFaults.brief(providerID)) of the account "
          + "\(PlanFaults.brief(uid)) as well")
    case .email(let email):
      RowFault(
        "emailClaimedTwice", "row \(row) gives \(PlanFaults.brief(email)) to an account as well")
    case .field(let uid, let name):
      RowFault(
        "fieldClaimedTwice",
        "row \(row) changes \(name) of the account \(PlanFaults.brief(uid)) as well")
    case .part(let uid):
      RowFault(
        "accountClaimed",
        "row \(row) makes, merges or deletes the account \(PlanFaults.brief(uid))")
    case .whole(let uid):
      RowFault(
        "accountClaimed",
        "row \(row) \(isOnlyPart ? "changes" : "makes, merges or deletes") the account "
          + "\(PlanFaults.brief(uid)), which this one would make, merge or delete")
    }
  }
}
