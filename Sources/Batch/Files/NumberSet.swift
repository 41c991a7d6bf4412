/// Row numbers, each once: a bit for each number up to the largest, so that a million rows take 125 kB.
struct NumberSet {
  private var words: [UInt64] = []
  /// How many numbers there are.
  private(set) var count: Int64 = 0

  /// Adds a number from 0 on, if it is not there yet.
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
