internal import Encoding

/// Counts wrong passwords or codes, and says when a further one must not be tried.
///
/// How many there are before production refuses is known for authenticator apps alone, and for how long it refuses for
/// neither.
struct GuessLimit {
  /// How many wrong ones may follow each other.
  let limit: Int
  /// Seconds after the last wrong one in which it is remembered.
  static let memory: Int64 = 300
  /// How many addresses or accounts are remembered at most.
  private static let capacity = 10_000

  private struct Guesses {
    var count: Int
    var until: Int64
  }

  private var guesses = BoundedTable<Guesses>(limit: capacity)

  init(limit: Int) { self.limit = limit }

  /// Whether an account, by its uid or address, has had too many.
  func isReached(by key: String, now: Int64) -> Bool {
    guard let known = guesses[key] else { return false }
    return known.count >= limit && known.until > now
  }

  /// Counts a wrong one.
  mutating func count(_ key: String, now: Int64) {
    let known = guesses[key].flatMap { $0.until > now ? $0.count : nil } ?? 0
    guesses[key] = Guesses(count: known + 1, until: now + Self.memory)
  }

  /// Forgets those of an account, which has been proved to be its owner's.
  mutating func forget(_ key: String) { guesses[key] = nil }
}
