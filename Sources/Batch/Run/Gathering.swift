/// What several tasks want at the same time and one of them asks for: the first one leads, the others wait.
///
/// Lives on one thread.
final class Gathering<Item, Answer: Sendable> {
  /// What is asked for; the leader's comes first.
  private(set) var items: [Item]
  private let most: Int
  private var waiters: [CheckedContinuation<Answer, Never>] = []

  /// Begins with what the leader wants, and has room for so much.
  init(_ items: [Item], most: Int) {
    self.items = items
    self.most = most
    self.items.reserveCapacity(min(most, 128))
  }

  var count: Int { items.count }
  var isFull: Bool { items.count >= most }

  /// Whether there is room for so many more.
  func fits(_ count: Int) -> Bool { items.count + count <= most }

  /// Adds to what is asked for and waits for the answer.
  func join(_ more: [Item]) async -> Answer {
    items += more
    return await withCheckedContinuation { waiters.append($0) }
  }

  /// Gives the leader's answer to all.
  func answer(_ answer: Answer) {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(returning: answer) }
  }
}
