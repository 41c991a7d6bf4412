import Host

/// Formats a number with its noun.
enum Counted {
  /// For example `1 account` or `2 accounts`.
  static func text(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
