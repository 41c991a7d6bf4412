/// Values that were read for secrets already: most of an exchange stands in the one before it as well.
struct SeenValues {
  /// Then all are read anew, long before `SecretBook` forgets the first of them.
  private static let capacity = 4096

  private var hashes: Set<Int> = []

  /// Whether a value stands under a name for the first time.
  mutating func isNew(_ value: String, under name: String) -> Bool {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(value)
    if hashes.count >= Self.capacity { hashes.removeAll(keepingCapacity: true) }
    return hashes.insert(hasher.finalize()).inserted
  }
}
