internal import Encoding
internal import OIDC

/// The ways of hashing that the accounts of a state refer to by number.
///
/// There are few: one for each project and one for each kind of import.
struct HashingTable {
  private var entries: [(number: Int64, hashing: PasswordHashing)] = []
  private var lastNumber: Int64 = 0

  var isEmpty: Bool { entries.isEmpty }

  /// The fields each can be read back from, by number.
  var record: JSONObject {
    JSONObject(entries.map { (String($0.number), .object($0.hashing.wire)) })
  }

  subscript(number: Int64) -> PasswordHashing? {
    entries.last { $0.number == number }?.hashing
  }

  /// The number of a way of hashing, and whether it was given just now.
  mutating func number(of hashing: PasswordHashing) -> (number: Int64, isNew: Bool) {
    // The newest first: accounts of one import come one after the other.
    if let known = entries.last(where: { $0.hashing == hashing }) { return (known.number, false) }
    restore(hashing, number: lastNumber + 1)
    return (lastNumber, true)
  }

  mutating func restore(_ hashing: PasswordHashing, number: Int64) {
    entries.append((number, hashing))
    lastNumber = max(lastNumber, number)
  }
}
