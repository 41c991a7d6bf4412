/// One of several equal parts of a plan's rows, for one machine each.
struct BatchShard: Sendable, Equatable {
  /// The number of this part, from 1.
  let index: Int64
  /// The number of parts.
  let count: Int64

  /// Parses `2/5` as the second of five parts; nil for other text.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int64(parts[0]), let count = Int64(parts[1]),
      (1...1_000_000).contains(count), (1...count).contains(index)
    else { return nil }
    self.index = index
    self.count = count
  }

  /// The remainder of this part's row numbers when divided by `count`.
  var remainder: Int64 { index - 1 }
}
