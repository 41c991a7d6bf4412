import Synchronization

/// A pending request, with its caller and its transfer.
///
/// Sendable, because after `init` only the loop's thread uses it: begin, cancel and the end of the
/// transfer all run there. Only `isCancelled` is set from other threads, and it is atomic.
final class Exchange: @unchecked Sendable {
  let request: HTTPRequest
  let pool: TransferPool
  /// When the caller sent it; timeout and duration count from here.
  let submitted = MonotonicTime.now
  /// Receives the result, on the loop's thread.
  var done: ((Result<HTTPResponse, HTTPError>) -> Void)?
  var transfer: Transfer?
  /// The index in the queue while it waits for a transfer.
  var place: Int?
  /// The timer that ends the wait in the queue.
  var timer: TimerToken?
  /// How long it waited in the queue; nil when it did not wait.
  var waited: Duration?
  private let cancelled = Atomic(false)

  init(_ request: HTTPRequest, pool: TransferPool) {
    self.request = request
    self.pool = pool
  }

  /// Whether it was canceled; it must not start then.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Prevents it from starting, from any thread; `EventLoop.cancel` ends it.
  func markCancelled() { cancelled.store(true, ordering: .relaxed) }

  var timeLeft: Duration { request.timeout - submitted.duration(to: .now) }

  /// Passes the result to the caller; later calls have no effect.
  func finish(_ result: Result<HTTPResponse, HTTPError>) {
    guard let done else { return }
    self.done = nil
    done(result)
  }
}

/// The idle easy handles of a client; used on the loop's thread only.
final class TransferPool: @unchecked Sendable {
  let options: ClientOptions
  private var idle: [Transfer] = []

  init(options: ClientOptions) {
    self.options = options
  }

  func take() throws(HTTPError) -> Transfer {
    if let transfer = idle.popLast() { return transfer }
    return try Transfer(options)
  }

  func give(_ transfer: Transfer) { idle.append(transfer) }
}

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

/// Collects headers and body of a response, within limits.
struct ResponseReader {
  enum Refusal {
    case headersTooLarge(limit: Int)
    case bodyTooLarge(limit: Int)
  }

  private(set) var status = 0
  private var packed = PackedHeaders([])
  private(set) var body: [UInt8] = []
  var headers: HTTPHeaders { HTTPHeaders(packed) }
  /// The limit that the response exceeded.
  private(set) var refusal: Refusal?

  private var headerBytes = 0
  /// Whether the empty line after the headers was received.
  private(set) var isPastHeaders = false
  private var maximumBodyBytes = 0
  private var maximumHeaderBytes = 0

  mutating func start(maximumBodyBytes: Int, maximumHeaderBytes: Int) {
    clear()
    self.maximumBodyBytes = maximumBodyBytes
    self.maximumHeaderBytes = maximumHeaderBytes
  }

  mutating func clear() { self = ResponseReader() }

  /// Adds a header line, including its line break; returns false above the limit.
  mutating func takeHeader(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    headerBytes += line.count
    guard headerBytes <= maximumHeaderBytes else {
      refusal = .headersTooLarge(limit: maximumHeaderBytes)
      return false
    }
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    // Ignore trailers: they follow the body and may not replace headers (RFC 9110 6.5).
    if isPastHeaders, !startsAnswer(line, end) { return true }
    if end == 0 {
      isPastHeaders = status >= 200
      return true
    }
    if startsAnswer(line, end) {
      begin(line, end)
      return true
    }
    guard let colon = line[..<end].firstIndex(of: 0x3A) else { return true }
    var first = colon + 1
    while first < end, line[first] == 0x20 || line[first] == 0x09 { first += 1 }
    var last = end
    while last > first, line[last - 1] == 0x20 || line[last - 1] == 0x09 { last -= 1 }
    packed.append(
      UnsafeBufferPointer(rebasing: line[..<colon]),
      UnsafeBufferPointer(rebasing: line[first..<last]))
    return true
  }

  /// Adds a part of the body; returns false above the limit.
  mutating func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count <= maximumBodyBytes - body.count else {
      refusal = .bodyTooLarge(limit: maximumBodyBytes)
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Begins a response at its status line; earlier 1xx responses are dropped.
  private mutating func begin(_ line: UnsafeBufferPointer<UInt8>, _ end: Int) {
    packed = PackedHeaders([])
    packed.reserveCapacity(256)
    isPastHeaders = false
    status = 0
    guard let space = line[..<end].firstIndex(of: 0x20) else { return }
    for digit in line[(space + 1)..<end].prefix(3) where digit >= 0x30 && digit <= 0x39 {
      status = status * 10 + Int(digit - 0x30)
    }
  }

  private func startsAnswer(_ line: UnsafeBufferPointer<UInt8>, _ end: Int) -> Bool {
    end > 5 && line[0] == 0x48 && line[1] == 0x54 && line[2] == 0x54 && line[3] == 0x50
      && line[4] == 0x2F
  }
}
