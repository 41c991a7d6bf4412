extension BatchPage {
  private static let size = (width: 720.0, height: 150.0)
  private static let margin = (left: 56.0, top: 12.0, bottom: 24.0)

  private typealias Point = (x: Double, y: Double)

  var plots: String {
    guard !spans.isEmpty else {
      return "<section class=\"card\"><p class=\"soft\">No step has ended yet.</p></section>"
    }
    return [rates, latencies, outcomes].joined(separator: "\n")
  }

  private var seconds: Double { Double(width) / 1000 }

  private var rates: String {
    let values = spans.map { Double($0.count) / seconds }
    let top = max(values.max() ?? 0, 1)
    return Self.figure(
      "Steps a second", legend: [], unit: { "\(Self.short($0))" }, top: top,
      spans: spans.count, width: width,
      drawing: "<path class=\"area\" d=\"\(Self.area(values, top))\"/>"
        + "<path class=\"line\" d=\"\(Self.line(values, top))\"/>")
  }

  private var latencies: String {
    let sorted = spans.map { $0.latencies.sorted() }
    let middle = sorted.map { Self.quantile($0, 0.5) }
    let slow = sorted.map { Self.quantile($0, 0.95) }
    let top = max(slow.compactMap(\.self).max() ?? 0, 1)
    return Self.figure(
      "Time a step's calls took", legend: [("line", "p50"), ("line slow", "p95")], unit: Self.time,
      top: top, spans: spans.count, width: width,
      drawing: "<path class=\"line slow\" d=\"\(Self.line(slow, top))\"/>"
        + "<path class=\"line\" d=\"\(Self.line(middle, top))\"/>")
  }

  private var outcomes: String {
    let kinds: [(StepOutcome.Result, String, String)] = [
      (.done, "fill good", "done"), (.reconciled, "fill warn", "done, as a look-up showed"),
      (.already, "fill plain", "in place already"), (.failed, "fill bad", "failed"),
      (.takenBack, "fill warn", "taken back"),
    ]
    let top = Double(max(spans.map(\.count).max() ?? 0, 1))
    var drawing = ""
    let step = Self.size.width / Double(spans.count)
    for (index, span) in spans.enumerated() {
      var below = 0.0
      for (result, style, _) in kinds {
        guard let count = span.results[result], count > 0 else { continue }
        let height = Double(count) / top * Self.size.height
        below += height
        drawing +=
          "<rect class=\"\(style)\" x=\"\(Self.number(Self.margin.left + Double(index) * step))\" "
          + "y=\"\(Self.number(Self.margin.top + Self.size.height - below))\" "
          + "width=\"\(Self.number(max(0.5, step - 0.6)))\" height=\"\(Self.number(height))\"/>"
      }
    }
    let used = kinds.filter { kind in spans.contains { $0.results[kind.0] ?? 0 > 0 } }
    return Self.figure(
      "How steps ended", legend: used.map { ($0.1, $0.2) }, unit: { "\(Self.short($0))" }, top: top,
      spans: spans.count, width: width, drawing: drawing)
  }

  // MARK: Drawing

  private static func figure(
    _ title: String, legend: [(style: String, name: String)], unit: (Double) -> String,
    top: Double, spans: Int, width: Int64, drawing: String
  ) -> String {
    let bottom = margin.top + size.height
    var marks = ""
    for part in [0.0, 0.5, 1] {
      let y = bottom - part * size.height
      marks +=
        "<line class=\"grid\" x1=\"\(number(margin.left))\" x2=\"\(number(margin.left + size.width))\" "
        + "y1=\"\(number(y))\" y2=\"\(number(y))\"/>"
        + "<text x=\"\(number(margin.left - 6))\" y=\"\(number(y + 4))\" text-anchor=\"end\">"
        + "\(unit(part * top))</text>"
    }
    for part in [0.0, 0.25, 0.5, 0.75, 1] {
      let anchor = part == 0 ? "start" : part == 1 ? "end" : "middle"
      marks +=
        "<text x=\"\(number(margin.left + part * size.width))\" y=\"\(number(bottom + 17))\" "
        + "text-anchor=\"\(anchor)\">\(time(part * Double(width) * Double(spans)))</text>"
    }
    let keys = legend.map { "<span class=\"key \($0.style)\">\(escaped($0.name))</span>" }
    return """
      <section class="card"><h2>\(title)</h2><p class="keys">\(keys.joined(separator: " "))</p>
      <svg viewBox="0 0 \(number(margin.left + size.width + 8)) \(number(bottom + margin.bottom))" \
      role="img" aria-label="\(title) over time, at most \(unit(top))">\(marks)\(drawing)</svg></section>
      """
  }

  /// A line through the middle of each span; it breaks at a span without a value.
  private static func line(_ values: [Double?], _ top: Double) -> String {
    var path = ""
    var isDrawing = false
    for (index, value) in values.enumerated() {
      guard let value else {
        isDrawing = false
        continue
      }
      let point = point(index, value, values.count, top)
      path += "\(isDrawing ? "L" : "M")\(number(point.x)) \(number(point.y))"
      // A tiny segment makes a single point visible.
      if !isDrawing { path += "h.01" }
      isDrawing = true
    }
    return path
  }

  private static func area(_ values: [Double], _ top: Double) -> String {
    let bottom = margin.top + size.height
    let first = point(0, 0, values.count, top).x
    let last = point(values.count - 1, 0, values.count, top).x
    let points = values.enumerated().map { index, value in
      let point = point(index, value, values.count, top)
      return "L\(number(point.x)) \(number(point.y))"
    }
    return
      "M\(number(first)) \(number(bottom))\(points.joined())L\(number(last)) \(number(bottom))Z"
  }

  private static func point(_ index: Int, _ value: Double, _ count: Int, _ top: Double) -> Point {
    (
      margin.left + (Double(index) + 0.5) / Double(count) * size.width,
      margin.top + size.height - value / top * size.height
    )
  }

  private static func quantile(_ sorted: [Double], _ part: Double) -> Double? {
    guard !sorted.isEmpty else { return nil }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  private static func number(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  private static func short(_ value: Double) -> String {
    value >= 10 ? "\(Int(value.rounded()))" : number(value)
  }
}
