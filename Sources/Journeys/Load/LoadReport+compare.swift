import Host
import System

extension LoadReport {
  /// The figures that are compared with those of an earlier run.
  private struct Comparison {
    let kind: String
    let name: String
    let base: LoadBase.Figures
    let now: LoadFigures
  }

  private static let compared = ["p50", "p95", "p99"]

  private func comparisons(with base: LoadBase) -> [Comparison] {
    let all = [
      Comparison(kind: "", name: "all journeys", base: base.journeys, now: tally.journeys),
      Comparison(kind: "", name: "all requests", base: base.requests, now: tally.requests),
    ]
    return all
      + groups.compactMap { subject in
        let name = name(of: subject)
        guard let figures = tally.figures[subject],
          let known = base.figures(of: subject, named: name)
        else { return nil }
        return Comparison(kind: subject.kind.rawValue, name: name, base: known, now: figures)
      }
  }

  private func figures(of comparison: Comparison) -> [(name: String, base: Double, now: Double)] {
    Self.compared.map { name in
      let percentile = LoadFigures.percentiles.first { $0.name == name }?.value ?? 0
      return (
        name, comparison.base.latency[name] ?? 0, comparison.now.latency.value(at: percentile)
      )
    }
  }

  /// Returns a change in percent, as text.
  private static func change(from base: Double, to now: Double) -> String {
    guard base > 0 else { return "" }
    let change = (now / base - 1) * 100
    return (change < 0 ? "-" : "+") + digits(abs(change)) + "%"
  }

  /// The table of changes since the earlier run; empty without one.
  var comparisonText: String {
    guard let base else { return "" }
    var rows = [["since \(base.file.printable)"]]
    for name in Self.compared { rows[0] += ["\(name) was", "is", ""] }
    rows[0] += ["/s was", "is", ""]
    for one in comparisons(with: base) {
      let rate = one.now.rate(over: duration / 1000)
      rows.append(
        [Self.cut(one.name)]
          + figures(of: one).flatMap {
            [Self.time($0.base), Self.time($0.now), Self.change(from: $0.base, to: $0.now)]
          } + [
            Self.digits(one.base.rate), Self.digits(rate),
            Self.change(from: one.base.rate, to: rate),
          ])
    }
    return "\n" + Self.columns(rows)
  }

  /// The same as JSON; nil without an earlier run.
  var comparisonJSON: JSON? {
    guard let base else { return nil }
    let rows = comparisons(with: base).map { one -> JSON in
      var row: JSONObject = ["name": .string(one.name)]
      if !one.kind.isEmpty { row["kind"] = .string(one.kind) }
      for (name, base, now) in figures(of: one) {
        row[name] = ["base": .number(base.shortened), "now": .number(now.shortened)]
      }
      row["perSecond"] = [
        "base": .number(one.base.rate.shortened),
        "now": .number(one.now.rate(over: duration / 1000).shortened),
      ]
      return .object(row)
    }
    return ["file": .string(base.file), "rows": .array(rows)]
  }
}
