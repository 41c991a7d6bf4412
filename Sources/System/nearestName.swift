/// Returns the known name closest to a misspelled one, if it is close enough to suggest.
///
/// The distance is the restricted Damerau-Levenshtein distance over bytes: swapping two neighbors counts as one
/// edit. Case is ignored. Up to a third of the letters may be wrong, or the end of the name missing.
public func nearestName(to wanted: String, among names: [String]) -> String? {
  let lowered = Array(wanted.lowercased().utf8.prefix(64))
  let limit = lowered.count < 4 ? 1 : max(2, lowered.count / 3)
  var best: (name: String, distance: Int)?
  for name in names {
    let distance = editDistance(lowered, Array(name.lowercased().utf8.prefix(64)))
    if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
  }
  if let best { return best.name }
  guard lowered.count >= 4 else { return nil }
  return names.first { $0.lowercased().utf8.starts(with: lowered) }
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
