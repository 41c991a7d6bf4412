/// What was killed lately, for `yank`.
struct KillRing: Equatable {
  private static let most = 30

  private var texts: [String] = []
  /// Which of them was put in last.
  private var at = 0

  /// The one killed last.
  var newest: String? {
    mutating get {
      at = texts.count - 1
      return texts.last
    }
  }

  /// Keeps a text, as part of the one before when nothing else was done between.
  mutating func add(_ text: String, isBefore: Bool, goesOn: Bool) {
    if goesOn, let last = texts.popLast() {
      texts.append(isBefore ? text + last : last + text)
      return
    }
    texts.append(text)
    if texts.count > Self.most { texts.removeFirst() }
  }

  /// The one before the one put in last, round and round.
  mutating func older() -> String? {
    guard !texts.isEmpty else { return nil }
    at = at > 0 ? at - 1 : texts.count - 1
    return texts[at]
  }
}
