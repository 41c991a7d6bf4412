/// The texts removed by kill commands, for `yank`.
struct KillRing: Equatable {
  private static let most = 30

  private var texts: [String] = []
  /// The index of the text yanked last.
  private var at = 0

  var newest: String? {
    mutating get {
      at = texts.count - 1
      return texts.last
    }
  }

  /// Adds a text; `goesOn` joins it with the previous one.
  mutating func add(_ text: String, isBefore: Bool, goesOn: Bool) {
    if goesOn, let last = texts.popLast() {
      texts.append(isBefore ? text + last : last + text)
      return
    }
    texts.append(text)
    if texts.count > Self.most { texts.removeFirst() }
  }

  /// The text before the one yanked last; wraps around.
  mutating func older() -> String? {
    guard !texts.isEmpty else { return nil }
    at = at > 0 ? at - 1 : texts.count - 1
    return texts[at]
  }
}
