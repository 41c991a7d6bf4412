/// Figures in the text format of Prometheus, version 0.0.4.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
public struct PrometheusText: Sendable {
  /// The media type of the text.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// A name and a value that tell samples of a metric apart.
  public typealias Label = (name: String, value: String)

  /// One value of a metric.
  public struct Sample: Sendable {
    let labels: [Label]
    let value: Double
    let suffix: String

    /// - Parameter suffix: What follows the metric's name, as `_bucket` of histograms.
    public init(_ labels: [Label], _ value: Double, suffix: String = "") {
      self.labels = labels
      self.value = value
      self.suffix = suffix
    }
  }

  /// The text so far.
  public private(set) var text = ""
  private let prefix: String

  /// - Parameter prefix: How the names of all metrics begin.
  public init(prefix: String) { self.prefix = prefix }

  /// Adds a metric with its samples; nothing when there are none.
  ///
  /// - Parameter type: `counter`, `gauge` or `histogram`.
  public mutating func add(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(type)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
      text += "\(prefix)\(name)\(sample.suffix)"
      if !labels.isEmpty { text += "{\(labels.joined(separator: ","))}" }
      text += " \(Self.number(sample.value))\n"
    }
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  private static func number(_ value: Double) -> String {
    if value == .infinity { return "+Inf" }
    return value.rounded() == value && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}
