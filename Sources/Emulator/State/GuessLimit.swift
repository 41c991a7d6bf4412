internal import System

/// Counts attempts, such as wrong passwords or codes, and reports when the limit is reached.
///
/// The limit of Google's servers is known for authenticator apps only; for how long they then refuse is not known.
struct GuessLimit {
  /// How many attempts are allowed in a row.
  let limit: Int
  /// How long attempts are remembered after the last one, in seconds.
  static let memory: Int64 = 300
  /// The maximum number of addresses or accounts that are remembered.
  private static let capacity = 10_000

  private struct Guesses {
    var count: Int
    var until: Int64
  }

  private var guesses = BoundedTable<Guesses>(limit: capacity)

  init(limit: Int) { self.limit = limit }

  /// Whether an account, by its uid or address, has reached the limit.
  func isReached(by key: String, now: Int64) -> Bool {
    guard let known = guesses[key] else { return false }
    return known.count >= limit && known.until > now
  }

  mutating func count(_ key: String, now: Int64) {
    let known = guesses[key].flatMap { $0.until > now ? $0.count : nil } ?? 0
    guesses[key] = Guesses(count: known + 1, until: now + Self.memory)
  }

  /// Resets the count of an account whose user gave the right password or code.
  mutating func forget(_ key: String) { guesses[key] = nil }
}
