/// Figures for Prometheus, as text for its scrapes or as a request of its remote write.
public struct PrometheusMetrics: Sendable {
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

  private struct Metric {
    let name: String
    let type: String
    let help: String
    let samples: [Sample]
  }

  private var metrics: [Metric] = []
  private let prefix: String

  /// - Parameter prefix: How the names of all metrics begin.
  public init(prefix: String) { self.prefix = prefix }

  /// Adds a metric with its samples; nothing when there are none.
  ///
  /// - Parameter type: `counter`, `gauge` or `histogram`.
  public mutating func add(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    metrics.append(Metric(name: prefix + name, type: type, help: help, samples: samples))
  }

  /// The text format, version 0.0.4.
  ///
  /// https://prometheus.io/docs/instrumenting/exposition_formats/
  public var text: String {
    var text = ""
    for metric in metrics {
      text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.type)\n"
      for sample in metric.samples {
        let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        text += metric.name + sample.suffix
        if !labels.isEmpty { text += "{\(labels.joined(separator: ","))}" }
        text += " \(Self.number(sample.value))\n"
      }
    }
    return text
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  private static func number(_ value: Double) -> String {
    if value == .infinity { return "+Inf" }
    return value.rounded() == value && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}

extension PrometheusMetrics {
  /// The headers of a request of remote write 1.0.
  public static let writeHeaders = [
    ("Content-Type", "application/x-protobuf"), ("Content-Encoding", "snappy"),
    ("X-Prometheus-Remote-Write-Version", "0.1.0"),
  ]

  /// The body of a request of remote write 1.0: a `WriteRequest` of protobuf in the block format of snappy.
  ///
  /// https://prometheus.io/docs/specs/prw/remote_write_spec/
  ///
  /// - Parameter time: When the values were read, in milliseconds since 1970.
  public func writeRequest(at time: Int64) -> [UInt8] {
    var request: [UInt8] = []
    for metric in metrics {
      for sample in metric.samples {
        var series: [UInt8] = []
        // Labels must be in order; empty ones are those that are not there.
        var labels = sample.labels.filter { !$0.value.isEmpty }
        labels.append(("__name__", metric.name + sample.suffix))
        for (name, value) in labels.sorted(by: { $0.name < $1.name }) {
          var label: [UInt8] = []
          Self.append(Array(name.utf8), field: 1, to: &label)
          Self.append(Array(value.utf8), field: 2, to: &label)
          Self.append(label, field: 1, to: &series)
        }
        // A double, and an integer.
        var point: [UInt8] = [1 << 3 | 1]
        withUnsafeBytes(of: sample.value.bitPattern.littleEndian) { point += $0 }
        point.append(2 << 3)
        Self.append(UInt64(bitPattern: time), to: &point)
        Self.append(point, field: 2, to: &series)
        Self.append(series, field: 1, to: &request)
      }
    }
    return Self.snappy(request)
  }

  private static func append(_ bytes: [UInt8], field: UInt8, to message: inout [UInt8]) {
    message.append(field << 3 | 2)
    append(UInt64(bytes.count), to: &message)
    message += bytes
  }

  private static func append(_ number: UInt64, to message: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      message.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    message.append(UInt8(rest))
  }

  /// The block format of snappy with literals only, which every decoder reads.
  private static func snappy(_ bytes: [UInt8]) -> [UInt8] {
    var block: [UInt8] = []
    append(UInt64(bytes.count), to: &block)
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      let literal = bytes[start..<min(start + (1 << 16), bytes.count)]
      // The tag of a literal whose length minus one is in the next two bytes.
      let length = literal.count - 1
      block += [61 << 2, UInt8(length & 0xFF), UInt8(length >> 8)]
      block += literal
    }
    return block
  }
}
