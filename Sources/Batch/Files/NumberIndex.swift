import Glibc

/// Finds values by numbers of 64 bits: sorted pairs in a file that nobody else sees, so that memory does not grow.
struct NumberIndex<Value: Comparable & BitwiseCopyable>: ~Copyable {
  /// A number and a value that belongs to it.
  private struct Pair: BitwiseCopyable {
    var number: UInt64
    var value: Value
  }

  /// How many pairs are sorted at a time.
  private static var mostPairs: Int { (16 << 20) / size }
  private static var size: Int { MemoryLayout<Pair>.stride }

  private let descriptor: Int32
  private var pairs: [Pair] = []
  /// The first pair and the end of each sorted part.
  private var parts: [Range<Int>] = []
  /// The file as memory, once it is finished: a search takes too many steps to ask the system for each.
  private var mapping: UnsafeRawBufferPointer?

  /// Makes an empty index in the folder that `TMPDIR` names; the file has no name, so it is gone with the process.
  init() throws(SystemFault) {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
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

  /// Adds a value.
  mutating func add(_ number: UInt64, _ value: Value) throws(SystemFault) {
    pairs.append(Pair(number: number, value: value))
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
    pairs.sort { ($0.number, $0.value) < ($1.number, $1.value) }
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

  /// The values of a number, those that were added together in their order.
  func values(of number: UInt64) -> [Value] {
    guard let pairs = mapping?.bindMemory(to: Pair.self) else { return [] }
    var values: [Value] = []
    for part in parts {
      var (low, high) = (part.lowerBound, part.upperBound)
      while low < high {
        let middle = (low + high) / 2
        if pairs[middle].number < number { low = middle + 1 } else { high = middle }
      }
      while low < part.upperBound, pairs[low].number == number {
        values.append(pairs[low].value)
        low += 1
      }
    }
    return values
  }
}

/// An error of the system by its number.
struct SystemFault: Error {
  let words: String

  init(_ number: Int32) { words = String(cString: strerror(number)) }
}
