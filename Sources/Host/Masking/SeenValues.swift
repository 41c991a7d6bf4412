/// Values that were already read for secrets.
///
/// Most values of an exchange also occur in the one before.
struct SeenValues {
  /// Above this, all are read again, long before `SecretMasker` drops the first of them.
  private static let capacity = 4096

  private var hashes: Set<Int> = []

  /// Whether a value occurs under a name for the first time.
  mutating func isNew(_ value: String, under name: String) -> Bool {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(value)
    if hashes.count >= Self.capacity { hashes.removeAll(keepingCapacity: true) }
    return hashes.insert(hasher.finalize()).inserted
  }
}
