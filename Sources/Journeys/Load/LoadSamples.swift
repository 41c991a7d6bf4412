import Host
import Synchronization
import System

/// A file with each measured journey, step and request of a load run; names and order of its fields are those of k6.
///
/// Journeys are iterations in scenarios of their names, and steps are groups. Times are in milliseconds.
final class LoadSamples: Sendable {
  enum Format: Sendable {
    case csv, ndjson

    init(_ path: String) throws(UsageError) {
      switch path.lowercased() {
      case let path where path.hasSuffix(".csv"): self = .csv
      case let path where path.hasSuffix(".ndjson"): self = .ndjson
      default:
        throw UsageError("--samples takes a .csv or .ndjson file, not '\(path.printable)'")
      }
    }
  }

  private struct Pending {
    var text: String
    var lost = 0
  }

  /// What is pending at most, when the disk is slower than the run.
  private static let mostBytes = 64 << 20

  private let format: Format
  private let pending: Mutex<Pending>
  private let output: Mutex<ReportOutput>

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - path: The whole path.
  ///   - name: The path in messages.
  init(_ format: Format, path: String, name: String) throws(SinkError) {
    self.format = format
    let header = "metric_name,timestamp,metric_value,name,scenario,group,failed\n"
    pending = Mutex(Pending(text: format == .csv ? header : ""))
    output = Mutex(ReportOutput(path: path, name: name))
    let problem = output.withLock { output -> SinkError? in
      do throws(SinkError) { try output.open() } catch { return error }
      return nil
    }
    if let problem { throw problem }
  }

  /// Adds a sample that ends now.
  ///
  /// - Parameters:
  ///   - metric: `iteration_duration`, `iteration_start_delay`, `group_duration` or `http_req_duration`.
  ///   - value: Milliseconds.
  ///   - journey: The name of the journey.
  func add(
    _ metric: String, _ value: Double, name: String = "", journey: String, step: String = "",
    failed: Bool = false
  ) {
    let line = line(metric, Timestamp.now, value, name, journey, step, failed)
    pending.withLock { pending in
      guard pending.text.utf8.count < Self.mostBytes else { return pending.lost += 1 }
      pending.text += line
    }
  }

  private func line(
    _ metric: String, _ now: Int64, _ value: Double, _ name: String, _ journey: String,
    _ step: String, _ failed: Bool
  ) -> String {
    switch format {
    case .csv:
      let fraction = String(now % 1000 + 1000).dropFirst()
      let names = [name, journey, step].map(Self.field).joined(separator: ",")
      return "\(metric),\(now / 1000).\(fraction),\(value.shortened),\(names),\(failed)\n"
    case .ndjson:
      var tags: JSONObject = ["scenario": .string(journey), "failed": .string("\(failed)")]
      if !name.isEmpty { tags["name"] = .string(name) }
      if !step.isEmpty { tags["group"] = .string(step) }
      let point: JSON = [
        "type": "Point", "metric": .string(metric),
        "data": [
          "time": .string(Timestamp.text(milliseconds: now)), "value": .number(value.shortened),
          "tags": .object(tags),
        ],
      ]
      return point.encoded() + "\n"
    }
  }

  /// Quotes a field of CSV if it must be (RFC 4180).
  private static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return text }
    return "\"\(text.replacing("\"", with: "\"\""))\""
  }

  /// Writes what was added since the last call.
  func flush() {
    let text = pending.withLock { pending in
      defer { pending.text = "" }
      return pending.text
    }
    output.withLock { output in
      output.write(text)
      output.flush()
    }
  }

  /// Writes the rest, and returns how many samples were lost because the disk was too slow.
  func close() throws(SinkError) -> Int {
    flush()
    let problem = output.withLock { output -> SinkError? in
      do throws(SinkError) { try output.close() } catch { return error }
      return nil
    }
    if let problem { throw problem }
    return pending.withLock(\.lost)
  }
}
