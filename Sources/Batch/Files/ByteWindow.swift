import HTTP

/// The bytes of a source that are being looked at: it grows only as far as one row needs.
///
/// Positions given to its user count from the first byte that was not dropped, so that they stay good when
/// more bytes come.
final class ByteWindow {
  /// How much is read at a time.
  static let blockSize = 128 << 10
  /// How much of a compressed source is read at a time, which stands for a thousand times as much at most.
  private static let compressedSize = 16 << 10

  private let source: InputSource
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var start = 0
  private var end = 0
  private var inflater: Inflater?
  /// What was read and not inflated yet; empty for a plain source.
  private var compressed = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
  private var inflated: [UInt8] = []

  /// Looks at a source from where it is.
  ///
  /// With `inflating`, a source that begins as gzip does (RFC 1952 section 2.3.1) is read through it.
  init(_ source: InputSource, inflating: Bool) throws(BatchProblem) {
    self.source = source
    capacity = 2 * Self.blockSize
    memory = .allocate(capacity: capacity)
    guard inflating else { return }
    // A pipe may give one byte first.
    while end < 2, try fillPlain(atMost: Self.compressedSize) {}
    guard end >= 2, memory[0] == 0x1F, memory[1] == 0x8B else { return }
    guard let inflater = Inflater() else {
      throw BatchProblem(
        .unavailable, "\(source.name) cannot be read: there is no memory", hint: "free some memory")
    }
    self.inflater = inflater
    // One byte may have come alone before a full piece.
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

  /// What messages call the source.
  var name: String { source.name }

  /// The bytes that are there; good until more come.
  var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: memory + start, count: end - start)
  }

  /// How many bytes are there.
  var count: Int { end - start }

  /// Forgets the first bytes.
  func drop(_ count: Int) {
    start += count
    if start == end {
      start = 0
      end = 0
    }
  }

  /// Reads more behind what is there; false at the end.
  func fill() throws(BatchProblem) -> Bool {
    guard inflater != nil else { return try fillPlain(atMost: Self.blockSize) }
    let before = count
    while count == before {
      let size = try source.read(into: UnsafeMutableRawBufferPointer(compressed))
      guard size > 0 else {
        guard inflater?.isComplete == true else {
          throw BatchProblem(
            .usage, "\(name) ends in the middle of its compressed data",
            hint: "it was cut off: make or copy it again; 'gzip -t' tells whether it is whole")
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
        hint: "make or copy it again; 'gzip -t' tells whether it is whole")
    }
    reserve(inflated.count)
    inflated.withUnsafeBufferPointer { new in
      guard let first = new.baseAddress else { return }
      (memory + end).update(from: first, count: new.count)
    }
    end += inflated.count
  }

  /// Makes room behind what is there: in place if half of the memory is free, otherwise in a larger one.
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
