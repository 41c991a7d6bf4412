/// The name a person most likely meant: within two edits, neighbours swapped counting as one.
///
/// The distance is Damerau and Levenshtein's in its restricted form; case counts half.
public func nearestName(to wanted: String, among names: [String]) -> String? {
  let lowered = wanted.lowercased()
  if let same = names.first(where: { $0.lowercased() == lowered }) { return same }
  let limit = wanted.count < 4 ? 1 : 2
  var best: (name: String, distance: Int)?
  for name in names where abs(name.count - wanted.count) <= limit {
    let distance = editDistance(Array(lowered.utf8), Array(name.lowercased().utf8))
    if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
  }
  return best?.name
}

private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        cost = min(cost, beforeLast[j - 1] + 1)
      }
      row.append(cost)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
