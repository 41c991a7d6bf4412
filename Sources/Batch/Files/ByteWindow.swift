import HTTP

/// A buffer of a source's bytes that grows only as far as one row needs.
///
/// Positions are relative to the first byte that was not dropped, so they stay valid when more bytes are read.
final class ByteWindow {
  /// How many bytes are read at a time.
  static let blockSize = 128 << 10
  /// How many bytes of a compressed source are read at a time; they inflate to at most about a thousand times as much.
  private static let compressedSize = 16 << 10

  private let source: InputSource
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var start = 0
  private var end = 0
  private var inflater: Inflater?
  /// The buffer for compressed input; empty for a plain source.
  private var compressed = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
  private var inflated: [UInt8] = []

  /// Reads a source from its current position.
  ///
  /// With `inflating`, a source with a gzip header (RFC 1952 section 2.3.1) is decompressed.
  init(_ source: InputSource, inflating: Bool) throws(BatchProblem) {
    self.source = source
    capacity = 2 * Self.blockSize
    memory = .allocate(capacity: capacity)
    guard inflating else { return }
    // A pipe may return a single byte first.
    while end < 2, try fillPlain(atMost: Self.compressedSize) {}
    guard end >= 2, memory[0] == 0x1F, memory[1] == 0x8B else { return }
    guard let inflater = Inflater() else {
      throw BatchProblem(
        .unavailable, "\(source.name) cannot be read: there is no memory", hint: "free some memory")
    }
    self.inflater = inflater
    // A single byte may have come before a full block.
    compressed = .allocate(capacity: Self.compressedSize + 1)
    let size = end
    end = 0
    _ = compressed.update(fromContentsOf: UnsafeBufferPointer(start: memory, count: size))
    try inflate(UnsafeBufferPointer(rebasing: compressed[..<size]))
  }

  deinit {
    memory.deallocate()
    compressed.deallocate()
  }

  /// The source's name in messages.
  var name: String { source.name }

  /// The buffered bytes; valid until more are read.
  var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: memory + start, count: end - start)
  }

  var count: Int { end - start }

  func drop(_ count: Int) {
    start += count
    if start == end {
      start = 0
      end = 0
    }
  }

  /// Reads more bytes; false at the end.
  func fill() throws(BatchProblem) -> Bool {
    guard inflater != nil else { return try fillPlain(atMost: Self.blockSize) }
    let before = count
    while count == before {
      let size = try source.read(into: UnsafeMutableRawBufferPointer(compressed))
      guard size > 0 else {
        guard inflater?.isComplete == true else {
          throw BatchProblem(
            .usage, "\(name) ends in the middle of its compressed data",
            hint: "it was cut off: make or copy it again, and check it with 'gzip -t'")
        }
        return false
      }
      try inflate(UnsafeBufferPointer(rebasing: compressed[..<size]))
    }
    return true
  }

  private func fillPlain(atMost size: Int) throws(BatchProblem) -> Bool {
    reserve(size)
    let count = try source.read(
      into: UnsafeMutableRawBufferPointer(start: memory + end, count: size))
    end += count
    return count > 0
  }

  private func inflate(_ piece: UnsafeBufferPointer<UInt8>) throws(BatchProblem) {
    inflated.removeAll(keepingCapacity: true)
    do throws(Inflater.Fault) {
      try inflater?.take(piece, into: &inflated, limit: .max)
    } catch {
      throw BatchProblem(
        .usage, "\(name) begins as gzip does, and is damaged",
        hint: "make or copy it again, and check it with 'gzip -t'")
    }
    reserve(inflated.count)
    inflated.withUnsafeBufferPointer { new in
      guard let first = new.baseAddress else { return }
      (memory + end).update(from: first, count: new.count)
    }
    end += inflated.count
  }

  /// Makes room at the end: moves the bytes to the front if at most half of the buffer is used, or else grows it.
  private func reserve(_ more: Int) {
    guard capacity - end < more else { return }
    let kept = end - start
    if kept + more <= capacity, kept <= capacity / 2 {
      memory.update(from: memory + start, count: kept)
    } else {
      let larger = max(capacity * 2, kept + more)
      let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
      fresh.update(from: memory + start, count: kept)
      memory.deallocate()
      memory = fresh
      capacity = larger
    }
    start = 0
    end = kept
  }
}
