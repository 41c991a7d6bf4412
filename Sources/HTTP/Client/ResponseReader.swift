/// Collects headers and body of a response, within limits.
struct ResponseReader {
  enum Refusal {
    case headersTooLarge(limit: Int)
    case bodyTooLarge(limit: Int)
  }

  private(set) var status = 0
  private(set) var headers = HTTPHeaders()
  private(set) var body: [UInt8] = []
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
    headers.append(
      String(decoding: line[..<colon], as: UTF8.self),
      String(decoding: line[first..<last], as: UTF8.self))
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
    headers = HTTPHeaders()
    headers.reserveCapacity(8)
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
