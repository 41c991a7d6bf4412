/// The FIFO queue of exchanges that wait for a transfer.
///
/// Removed exchanges are released at once, and the storage shrinks with the queue.
struct ExchangeQueue {
  private var places: [Exchange?] = []
  /// The first index that may be occupied.
  private var first = 0
  private(set) var count = 0

  /// The size of the storage, including free places.
  var storage: Int { places.count }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ exchange: Exchange) {
    exchange.place = places.count
    places.append(exchange)
    count += 1
  }

  mutating func popFirst() -> Exchange? {
    while first < places.count {
      let next = places[first]
      first += 1
      guard let next else { continue }
      remove(next)
      return next
    }
    return nil
  }

  /// Removes a waiting exchange from anywhere in the queue.
  mutating func remove(_ exchange: Exchange) {
    guard let place = exchange.place else { return }
    places[place] = nil
    exchange.place = nil
    count -= 1
    if places.count > 2 * count + 32 { compact() }
  }

  private mutating func compact() {
    places = places.filter { $0 != nil }
    first = 0
    for place in places.indices { places[place]?.place = place }
  }
}
