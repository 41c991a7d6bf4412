extension PlanSummary {
  /// The maximum number of reasons and causes to print.
  private static let most = 8

  /// The summary as text for the user, without the path of the plan.
  var text: String {
    var lines = ["\(Self.count(rows, "row", "rows")) planned"]
    lines.append("  \(Self.padded(run)) to run" + kinds)
    lines.append("  \(Self.padded(skipped)) to skip")
    for (reason, group) in Self.top(reasons) {
      lines.append("  \(Self.padded(group.count))   \(PlanFaults.brief(reason))")
    }
    lines.append("  \(Self.padded(refused)) refused")
    for (code, group) in Self.top(refusals.filter { !PlanFaults.conflicts.contains($0.key) }) {
      lines += Self.lines(code, group)
    }
    let conflicts = refusals.filter { PlanFaults.conflicts.contains($0.key) }
    if !conflicts.isEmpty {
      let sum = conflicts.values.reduce(0) { $0 + $1.count }
      lines.append("  \(Self.padded(sum)) of them by conflicts")
      for (code, group) in Self.top(conflicts) { lines += Self.lines(code, group) }
    }
    if sharedEmails.count > 0 {
      let what = Self.count(
        sharedEmails.count, "address belongs to several accounts",
        "addresses belong to several accounts")
      lines.append("note: \(what), such as \(sharedEmails.example)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var kinds: String {
    guard !operations.isEmpty else { return "" }
    let list = operations.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return ": " + list.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  private static func lines(_ code: String, _ group: Group) -> [String] {
    let places = group.lines.map(String.init).joined(separator: ", ")
    let more = group.count > Int64(group.lines.count) ? ", …" : ""
    let word = group.count == 1 ? "line" : "lines"
    return [
      "  \(padded(group.count))   \(PlanFaults.brief(code)), \(word) \(places)\(more): "
        + PlanFaults.brief(group.example) + group.messages.more
    ]
  }

  private static func top(_ groups: [String: Group]) -> [(String, Group)] {
    let sorted = groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    var shown = sorted.prefix(most).map { ($0.key, $0.value) }
    let rest = sorted.dropFirst(most)
    if !rest.isEmpty {
      var group = Group()
      group.count = rest.reduce(0) { $0 + $1.value.count }
      group.lines = Array(rest.flatMap(\.value.lines).sorted().prefix(5))
      group.example = "the plan has each"
      shown.append(("\(rest.count) others", group))
    }
    return shown
  }

  private static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: " ", count: max(0, 7 - digits.count)) + digits
  }

  private static func count(_ number: Int64, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}
