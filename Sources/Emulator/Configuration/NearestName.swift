/// Finds the known name a misspelt one was probably meant to be.
enum NearestName {
  /// The candidate closest to `word`, when it is close enough to be worth suggesting.
  static func of(_ word: String, among candidates: [String]) -> String? {
    let limit = max(2, word.utf8.count / 3)
    let lowered = word.lowercased()
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let found = distance(Array(lowered.utf8.prefix(64)), Array(candidate.lowercased().utf8))
      if found <= limit, found < best?.distance ?? .max { best = (candidate, found) }
    }
    return best?.name
  }

  /// Levenshtein's distance over bytes.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var previous = Array(0...b.count)
    for (row, left) in a.enumerated() {
      var current = [row + 1]
      for (column, right) in b.enumerated() {
        let change = previous[column] + (left == right ? 0 : 1)
        current.append(min(change, previous[column + 1] + 1, current[column] + 1))
      }
      previous = current
    }
    return previous[b.count]
  }
}
