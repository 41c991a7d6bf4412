import Glibc

/// Finds places by numbers of 64 bits: sorted pairs in a file that nobody else sees, so that memory does not grow.
struct OffsetIndex: ~Copyable {
  /// A number and a place that belongs to it.
  private struct Pair {
    var number: UInt64
    var offset: Int64
  }

  /// How many pairs are sorted at a time.
  private static let mostPairs = 1 << 20
  private static let size = MemoryLayout<Pair>.stride

  private let descriptor: Int32
  private var pairs: [Pair] = []
  /// The first pair and the end of each sorted part.
  private var parts: [Range<Int>] = []
  /// The file as memory, once it is finished: a search takes too many steps to ask the system for each.
  private var mapping: UnsafeRawBufferPointer?

  /// Makes an empty index in a folder; the file has no name, so it is gone with the process.
  ///
  /// - Throws: The number of the system's error.
  init(folder: String) throws(SystemFault) {
    var template = Array("\(folder)/luath-index-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemFault(errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  deinit {
    if let mapping { munmap(UnsafeMutableRawPointer(mutating: mapping.baseAddress), mapping.count) }
    close(descriptor)
  }

  /// Adds a place.
  mutating func add(_ number: UInt64, _ offset: Int64) throws(SystemFault) {
    pairs.append(Pair(number: number, offset: offset))
    if pairs.count == Self.mostPairs { try flush() }
  }

  /// Sorts what was added last; nothing is found before.
  mutating func finish() throws(SystemFault) {
    try flush()
    pairs = []
    guard let end = parts.last?.upperBound else { return }
    let memory = mmap(nil, end * Self.size, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else { throw SystemFault(errno) }
    mapping = UnsafeRawBufferPointer(start: memory, count: end * Self.size)
  }

  private mutating func flush() throws(SystemFault) {
    guard !pairs.isEmpty else { return }
    pairs.sort { ($0.number, $0.offset) < ($1.number, $1.offset) }
    let first = parts.last?.upperBound ?? 0
    var written = 0
    let count = pairs.count * Self.size
    while written < count {
      let result = pairs.withUnsafeBytes { bytes in
        pwrite(
          descriptor, bytes.baseAddress.map { $0 + written }, count - written,
          off_t(first * Self.size + written))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw SystemFault(errno) }
      written += result
    }
    parts.append(first..<(first + pairs.count))
    pairs.removeAll(keepingCapacity: true)
  }

  /// The places of a number, in their order.
  func places(of number: UInt64) -> [Int64] {
    guard let pairs = mapping?.bindMemory(to: Pair.self) else { return [] }
    var places: [Int64] = []
    for part in parts {
      var (low, high) = (part.lowerBound, part.upperBound)
      while low < high {
        let middle = (low + high) / 2
        if pairs[middle].number < number { low = middle + 1 } else { high = middle }
      }
      while low < part.upperBound, pairs[low].number == number {
        places.append(pairs[low].offset)
        low += 1
      }
    }
    return places
  }
}

/// An error of the system by its number.
struct SystemFault: Error {
  let words: String

  init(_ number: Int32) { words = String(cString: strerror(number)) }
}
