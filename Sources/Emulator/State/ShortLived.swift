internal import System
internal import OIDC

/// Values that expire and can be taken once.
///
/// Clients decide how many there are and how large, so the oldest are dropped when the total size exceeds a limit.
struct ShortLived<Value> {
  private struct Entry {
    let value: Value
    let expires: Int64
    let size: Int
    /// Differs for each value, also of the same key.
    let number: Int
  }

  /// The maximum total size in bytes.
  private let limit: Int
  private var values: [ExactString: Entry] = [:]
  /// The keys from oldest to newest; the keys of values that are gone stay for a while.
  private var order: [(key: ExactString, number: Int)] = []
  private var oldest = 0
  private var bytes = 0
  private var lastNumber = 0

  init(limit: Int = 64 << 20) { self.limit = limit }

  /// Keeps `value` under `key` until `expires`, in seconds since 1970; `size` is its approximate size in bytes.
  mutating func put(_ value: Value, under key: String, size: Int = 0, expires: Int64, now: Int64) {
    let key = ExactString(string: key)
    remove(key)
    lastNumber += 1
    let size = size + key.string.utf8.count + 512
    values[key] = Entry(value: value, expires: expires, size: size, number: lastNumber)
    order.append((key, lastNumber))
    bytes += size
    dropOldest(now)
  }

  /// Drops what has expired or is too much, from the oldest on, so that the table is never copied as a whole.
  private mutating func dropOldest(_ now: Int64) {
    while oldest < order.count - 1 {
      let (key, number) = order[oldest]
      if let entry = values[key], entry.number == number {
        guard entry.expires <= now || bytes > limit else { break }
        remove(key)
      }
      oldest += 1
    }
    let hasMany = order.count > 2 * values.count + 1024
    guard hasMany || oldest > values.count / 4 + 1024 else { return }
    order.removeFirst(oldest)
    oldest = 0
    if hasMany { order.removeAll { values[$0.key]?.number != $0.number } }
  }

  @discardableResult
  private mutating func remove(_ key: ExactString) -> Entry? {
    let removed = values.removeValue(forKey: key)
    bytes -= removed?.size ?? 0
    return removed
  }

  /// Removes and returns the value; nil if it has expired or was taken before.
  mutating func take(_ key: String, now: Int64) -> Value? {
    guard let kept = remove(ExactString(string: key)) else { return nil }
    return kept.expires > now ? kept.value : nil
  }

  /// Returns the value without removing it; nil if it has expired or was taken before.
  func peek(_ key: String, now: Int64) -> Value? {
    guard let kept = values[ExactString(string: key)], kept.expires > now else { return nil }
    return kept.value
  }
}

/// A table that drops its oldest entries when it is full, so that clients cannot exhaust the memory.
struct BoundedTable<Value> {
  private var values: [ExactString: Value] = [:]
  private var order: [ExactString] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  var count: Int { values.count }

  mutating func removeAll(where isOver: (Value) -> Bool) {
    values = values.filter { !isOver($0.value) }
  }

  subscript(key: String) -> Value? {
    get { values[ExactString(key)] }
    set {
      let exact = ExactString(key)
      guard let newValue else {
        values[exact] = nil
        return
      }
      if values.updateValue(newValue, forKey: exact) == nil { order.append(exact) }
      guard order.count > limit else { return }
      // Removed entries keep their place in `order` until here.
      let surplus = order.prefix(order.count - limit / 2)
      for old in surplus where old != exact { values[old] = nil }
      order = order.suffix(limit / 2).filter { values[$0] != nil }
      if values[exact] != nil, !order.contains(exact) { order.append(exact) }
    }
  }
}

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
