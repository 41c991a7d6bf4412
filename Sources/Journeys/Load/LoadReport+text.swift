extension LoadReport {
  private static let mostRows = 30

  /// The report as text for a terminal.
  var text: String {
    let seconds = duration / 1000
    var text = "\n" + head(seconds)
    for kind in LoadSubject.Kind.allCases {
      let own = groups.filter { $0.kind == kind }
      if !own.isEmpty { text += "\n" + table("\(kind.rawValue)s", shown(own), seconds) }
      let rest = own.count - Self.mostRows
      if rest > 0 { text += "and \(rest) other \(kind.rawValue)s; --report has them all\n" }
    }
    if !errors.isEmpty {
      text += "\nfailures\n"
      for (message, count) in errors.prefix(10) { text += "  \(count) x \(message)\n" }
      if errors.count > 10 { text += "  and \(errors.count - 10) other kinds\n" }
    }
    if !verdicts.isEmpty {
      text += "\nthresholds\n"
      for verdict in verdicts { text += "  \(line(of: verdict))\n" }
    }
    return text
  }

  /// Returns at most `mostRows` subjects: the most frequent ones, in their original order.
  private func shown(_ subjects: [LoadSubject]) -> [LoadSubject] {
    guard subjects.count > Self.mostRows else { return subjects }
    let counts = subjects.map { tally.figures[$0]?.count ?? 0 }
    let rows = subjects.indices.sorted { (counts[$1], $0) < (counts[$0], $1) }
    return rows.prefix(Self.mostRows).sorted().map { subjects[$0] }
  }

  private func head(_ seconds: Double) -> String {
    let users = setup.vus == 1 ? "1 virtual user" : "\(setup.vus) virtual users"
    let pace = setup.rate.map { ", \(Self.digits($0)) journeys due a second" } ?? ""
    var text = "\(users)\(pace), \(Self.digits(seconds)) s on \(setup.target)"
    text += wasInterrupted ? ", interrupted\n" : "\n"
    text += "journeys  \(ended) ended, \(failed) failed, "
    text += "\(Self.digits(tally.journeys.rate(over: seconds))) a second\n"
    if dropped > 0 { text += "          \(dropped) were due and never began: no user was free\n" }
    text += "requests  \(tally.requests.count) ended, \(tally.requests.failed) failed, "
    text += "\(Self.digits(tally.requests.rate(over: seconds))) a second\n"
    return text
  }

  private func table(_ title: String, _ subjects: [LoadSubject], _ seconds: Double) -> String {
    var rows = [[title, "count", "failed", "/s", "mean", "p50", "p90", "p95", "p99", "max"]]
    for subject in subjects {
      guard let figures = tally.figures[subject] else { continue }
      let latency = figures.latency
      let times = [latency.mean] + [50, 90, 95, 99].map(latency.value) + [latency.longest]
      rows.append(
        [
          Self.cut(subject.name), String(figures.count), String(figures.failed),
          Self.digits(figures.rate(over: seconds)),
        ] + times.map(Self.time))
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + space : space + row[column]
      }.joined(separator: "  ") + "\n"
    }.joined()
  }

  private func line(of verdict: Verdict) -> String {
    guard let value = verdict.value else {
      return "missed  \(verdict.threshold): nothing of this name was seen"
    }
    let shown =
      switch verdict.threshold.metric {
      case .percentile, .mean: Self.time(value)
      case .errors, .dropped: Self.digits(value) + "%"
      case .rate: Self.digits(value) + "/s"
      }
    return (verdict.isMet ? "met     " : "missed  ") + "\(verdict.threshold): \(shown)"
  }

  private static func cut(_ name: String) -> String {
    name.count > 48 ? name.prefix(47) + "…" : name
  }

  /// Formats a time in seconds or milliseconds.
  static func time(_ milliseconds: Double) -> String {
    milliseconds >= 1000 ? digits(milliseconds / 1000) + "s" : digits(milliseconds) + "ms"
  }

  /// Formats a number with three significant digits, the precision of the histogram.
  static func digits(_ number: Double) -> String {
    let places = number >= 100 ? 0 : number >= 10 ? 1 : 2
    let factor = [1.0, 10, 100][places]
    let whole = Int64((number * factor).rounded())
    guard places > 0 else { return String(whole) }
    let fraction = String(whole % Int64(factor))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(whole / Int64(factor)).\(zeros)\(fraction)"
  }
}
