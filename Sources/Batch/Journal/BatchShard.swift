/// One of several equal parts of a plan's rows, each of which one machine works on.
public struct BatchShard: Sendable, Equatable {
  /// Which part, from 1.
  public let index: Int64
  /// How many parts there are.
  public let count: Int64

  /// Reads `2/5` as the second of five parts; nil when it is no such text.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int64(parts[0]), let count = Int64(parts[1]),
      (1...1_000_000).contains(count), (1...count).contains(index)
    else { return nil }
    self.index = index
    self.count = count
  }

  /// What is left of the part's row numbers when they are divided by `count`.
  var remainder: Int64 { index - 1 }
}
