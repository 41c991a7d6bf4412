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
