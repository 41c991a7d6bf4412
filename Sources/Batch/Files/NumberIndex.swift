import System
import Glibc

/// An index from 64-bit numbers to values, stored as sorted pairs in an unlinked file to save memory.
struct NumberIndex<Value: Comparable & BitwiseCopyable>: ~Copyable {
  private struct Pair: BitwiseCopyable {
    var number: UInt64
    var value: Value
  }

  /// How many pairs are sorted in memory at a time.
  private static var mostPairs: Int { (16 << 20) / size }
  private static var size: Int { MemoryLayout<Pair>.stride }

  private let descriptor: Int32
  private var pairs: [Pair] = []
  /// The pair range of each sorted part.
  private var parts: [Range<Int>] = []
  /// The finished file, mapped into memory, because a system call for each step of a search would be too slow.
  private var mapping: UnsafeRawBufferPointer?

  /// Creates an empty index in the folder `TMPDIR`; the file has no name, so it disappears with the process.
  init() throws(SystemError) {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/luath-index-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError(errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  deinit {
    if let mapping { munmap(UnsafeMutableRawPointer(mutating: mapping.baseAddress), mapping.count) }
    close(descriptor)
  }

  mutating func add(_ number: UInt64, _ value: Value) throws(SystemError) {
    pairs.append(Pair(number: number, value: value))
    if pairs.count == Self.mostPairs { try flush() }
  }

  /// Sorts the remaining pairs and maps the file; required before a search.
  mutating func finish() throws(SystemError) {
    try flush()
    pairs = []
    guard let end = parts.last?.upperBound else { return }
    let memory = mmap(nil, end * Self.size, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else { throw SystemError(errno) }
    mapping = UnsafeRawBufferPointer(start: memory, count: end * Self.size)
  }

  private mutating func flush() throws(SystemError) {
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
      guard result > 0 else { throw SystemError(errno) }
      written += result
    }
    parts.append(first..<(first + pairs.count))
    pairs.removeAll(keepingCapacity: true)
  }

  /// The values of a number, in ascending order within each sorted part.
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

/// A set of row numbers as a bit map: a million rows take 125 kB.
struct NumberSet {
  private var words: [UInt64] = []
  private(set) var count: Int64 = 0

  /// Inserts a non-negative number.
  mutating func insert(_ number: Int64) {
    let (word, bit) = (Int(number >> 6), UInt64(1) << UInt64(number & 63))
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    if words[word] & bit == 0 {
      words[word] |= bit
      count += 1
    }
  }
}
