import Testing

@testable import HTTP

@Suite struct ExchangeQueueTests {
  private final class Watched {
    weak var exchange: Exchange?
    init(_ exchange: Exchange) { self.exchange = exchange }
  }

  private let pool = TransferPool(options: ClientOptions())

  private func exchange() throws -> Exchange {
    Exchange(HTTPRequest(url: try #require(WebURL("http://localhost/"))), pool: pool)
  }

  @Test func `a queue that never runs empty keeps only what waits`() throws {
    var queue = ExchangeQueue()
    var made: [Watched] = []
    for _ in 0..<64 {
      let next = try exchange()
      made.append(Watched(next))
      queue.append(next)
    }
    for turn in 0..<10_000 {
      let next = try exchange()
      made.append(Watched(next))
      queue.append(next)
      let first = queue.popFirst()
      try #require(first != nil && first === made[turn].exchange)
    }
    #expect(queue.count == 64)
    #expect(made.count { $0.exchange != nil } == 64)
    #expect(queue.storage < 1000)
  }

  @Test func `an exchange leaves from any place, and is let go of at once`() throws {
    var queue = ExchangeQueue()
    var made: [Watched] = []
    for _ in 0..<1000 {
      let next = try exchange()
      made.append(Watched(next))
      queue.append(next)
    }
    for number in 0..<1000 where number % 10 != 3 {
      guard let exchange = made[number].exchange else { continue }
      queue.remove(exchange)
      queue.remove(exchange)
    }
    #expect(queue.count == 100)
    #expect(made.count { $0.exchange != nil } == 100)
    for number in stride(from: 3, to: 1000, by: 10) {
      let first = queue.popFirst()
      #expect(first != nil && first === made[number].exchange)
    }
    #expect(queue.isEmpty)
    let none = queue.popFirst()
    #expect(none == nil)
  }
}
