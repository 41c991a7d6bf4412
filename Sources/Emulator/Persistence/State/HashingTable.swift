internal import System
internal import OIDC

/// The password hashing methods of a state's accounts, by number.
///
/// There are few: one for each project and one for each kind of import.
struct HashingTable {
  private var entries: [(number: Int64, hashing: PasswordHashing)] = []
  private var lastNumber: Int64 = 0

  var isEmpty: Bool { entries.isEmpty }

  /// The parameters of each method, by number.
  var record: JSONObject {
    JSONObject(entries.map { (String($0.number), .object($0.hashing.wire)) })
  }

  subscript(number: Int64) -> PasswordHashing? {
    entries.last { $0.number == number }?.hashing
  }

  /// The number of a hashing method, and whether it was newly assigned.
  mutating func number(of hashing: PasswordHashing) -> (number: Int64, isNew: Bool) {
    // Start with the newest: accounts of one import follow each other.
    if let known = entries.last(where: { $0.hashing == hashing }) { return (known.number, false) }
    restore(hashing, number: lastNumber + 1)
    return (lastNumber, true)
  }

  mutating func restore(_ hashing: PasswordHashing, number: Int64) {
    entries.append((number, hashing))
    lastNumber = max(lastNumber, number)
  }
}
