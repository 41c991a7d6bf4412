/// Batches the requests of several tasks into one: the first task makes the request, the others wait for its result.
///
/// Confined to one thread.
final class Batcher<Item, Answer: Sendable> {
  /// The requested items; the first task's come first.
  private(set) var items: [Item]
  private let most: Int
  private var waiters: [CheckedContinuation<Answer, Never>] = []

  /// Starts a batch of at most `most` items.
  init(_ items: [Item], most: Int) {
    self.items = items
    self.most = most
    self.items.reserveCapacity(min(most, 128))
  }

  var count: Int { items.count }
  var isFull: Bool { items.count >= most }

  func fits(_ count: Int) -> Bool { items.count + count <= most }

  /// Adds items and waits for the result.
  func join(_ more: [Item]) async -> Answer {
    items += more
    return await withCheckedContinuation { waiters.append($0) }
  }

  /// Passes the result to all waiting tasks.
  func answer(_ answer: Answer) {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(returning: answer) }
  }
}
