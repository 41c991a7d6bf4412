import Glibc
import System

/// An index from 64-bit numbers to values, stored as sorted pairs in an unlinked file to save memory.
///
/// The numbers must be spread evenly, as hashes are.
struct NumberIndex<Value: Comparable & BitwiseCopyable>: ~Copyable {
  private struct Pair: BitwiseCopyable {
    var number: UInt64
    var value: Value
  }

  /// A sorted part of the file, mapped into memory, because a system call for each step of a search would be too slow.
  private struct Part {
    let pairs: UnsafeBufferPointer<Pair>
    /// Tells for most numbers without a pair that they have none, without a look into the file.
    let filter: BloomFilter
  }

  /// The most pairs of a part, which is sorted in memory.
  private static var mostPairs: Int { (128 << 20) / stride }
  private static var stride: Int { MemoryLayout<Pair>.stride }

  private let descriptor: Int32
  private let leastPairs: Int
  private var pairs: [Pair] = []
  private var parts: [Part] = []
  /// The number of pairs in the file.
  private var stored = 0

  /// Creates an empty index in the folder `TMPDIR`; the file has no name, so it disappears with the process.
  ///
  /// - Parameter leastPairs: How many pairs a part has at least, but the last one.
  init(leastPairs: Int = (16 << 20) / stride) throws(SystemError) {
    self.leastPairs = leastPairs
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/luath-index-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError(errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  deinit {
    for part in parts {
      munmap(
        UnsafeMutableRawPointer(mutating: part.pairs.baseAddress), part.pairs.count * Self.stride)
    }
    close(descriptor)
  }

  /// How many pairs the next part has: more, the more there are, so that there are few parts.
  var sizeOfNextPart: Int { min(Self.mostPairs, max(leastPairs, stored / 8)) }

  /// Adds a pair, which is found after `flush`.
  mutating func add(_ number: UInt64, _ value: Value) throws(SystemError) {
    pairs.append(Pair(number: number, value: value))
    if pairs.count >= sizeOfNextPart { try flush() }
  }

  /// Writes the pairs that were added last as a sorted part; required before a search for them.
  mutating func flush() throws(SystemError) {
    guard !pairs.isEmpty else { return }
    pairs.sort { ($0.number, $0.value) < ($1.number, $1.value) }
    var filter = BloomFilter(count: pairs.count)
    for pair in pairs { filter.insert(pair.number) }
    // A part begins at a page, as a mapping must.
    let page = Int(getpagesize())
    let start = off_t((stored * Self.stride + parts.count * page + page - 1) / page * page)
    try write(at: start)
    let size = pairs.count * Self.stride
    guard let memory = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, start),
      memory != MAP_FAILED
    else { throw SystemError(errno) }
    parts.append(
      Part(
        pairs: UnsafeBufferPointer(
          start: memory.assumingMemoryBound(to: Pair.self), count: pairs.count), filter: filter))
    stored += pairs.count
    pairs.removeAll(keepingCapacity: true)
  }

  private func write(at start: off_t) throws(SystemError) {
    var written = 0
    let count = pairs.count * Self.stride
    while written < count {
      let result = pairs.withUnsafeBytes { bytes in
        pwrite(
          descriptor, bytes.baseAddress.map { $0 + written }, count - written,
          start + off_t(written))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw SystemError(errno) }
      written += result
    }
  }

  /// The values of a number, in ascending order within each sorted part.
  func values(of number: UInt64) -> [Value] {
    var values: [Value] = []
    for part in parts where part.filter.mayContain(number) {
      var index = Self.start(of: number, in: part.pairs)
      while index < part.pairs.count, part.pairs[index].number == number {
        values.append(part.pairs[index].value)
        index += 1
      }
    }
    return values
  }

  /// The index of the first pair with at least this number.
  ///
  /// It guesses where the number stands, which reads fewer pages than halving does.
  private static func start(of number: UInt64, in pairs: UnsafeBufferPointer<Pair>) -> Int {
    let guess = number.multipliedFullWidth(by: UInt64(pairs.count)).high
    var (low, high, step) = (Int(guess), Int(guess), 64)
    while low > 0, pairs[low - 1].number >= number {
      low = max(0, low - step)
      step *= 2
    }
    step = 64
    while high < pairs.count, pairs[high].number < number {
      high = min(pairs.count, high + step)
      step *= 2
    }
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A Bloom filter of 12 bits a number, which wrongly contains about one number of fifty.
private struct BloomFilter {
  private var words: [UInt64]

  init(count: Int) { words = Array(repeating: 0, count: count * 12 / 64 + 1) }

  /// Inserts a hash.
  mutating func insert(_ number: UInt64) { words[place(of: number)] |= bits(of: number) }

  func mayContain(_ number: UInt64) -> Bool {
    let bits = bits(of: number)
    return words[place(of: number)] & bits == bits
  }

  /// All bits of a number are in one word, so that the search waits for memory once.
  private func place(of number: UInt64) -> Int {
    Int(number.multipliedFullWidth(by: UInt64(words.count)).high)
  }

  private func bits(of number: UInt64) -> UInt64 {
    1 << (number & 63) | 1 << (number >> 6 & 63) | 1 << (number >> 12 & 63)
      | 1 << (number >> 18 & 63)
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
