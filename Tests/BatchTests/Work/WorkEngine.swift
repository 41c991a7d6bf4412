import Synchronization
import Testing

@testable import Batch
@testable import Client
@testable import HTTP
@testable import System

/// An engine in memory that delivers rows to a worker, and keeps its lines.
struct WorkEngine: Sendable {
  let project: EmulatedProject
  var key: JournalKey?
  var isUndo = false
  /// The lease of the worker; without time, it asks before each call.
  var lease = Duration.seconds(15)
  /// Whether the pipes of the worker are open.
  var isConnected: @Sendable () -> Bool = { true }
  /// How old what is known of an account may be.
  var imageLifetime = Duration.seconds(5)
  /// Decides about each line that waits; where it is false, the engine dies.
  var acknowledges: @Sendable (JSON) async throws -> Bool = { _ in true }

  /// What a worker has written, and how its run ended.
  struct Result {
    var lines: [JSON]
    var end: BatchEnd

    /// The lines about rows, for the next delivery.
    func records(_ row: Int64 = 1) -> [JSON] {
      lines.filter { $0["row"]?.integer == row }
    }

    /// The types of the lines, and the results of steps.
    var words: [String] {
      lines.map { $0["result"]?.string ?? $0["type"]?.string ?? "" }
    }
  }

  static let hello: JSON = [
    "type": "hello", "protocol": 1,
    "plan": [
      "luath": "plan", "version": 1, "project": "demo-luath", "script": "x.lua",
      "scriptDigest": "00", "input": "rows.csv", "made": "2026-01-01T00:00:00Z",
    ],
  ]

  static func row(_ number: Int64, _ operations: [Batch.Operation]) -> PlannedRow {
    PlannedRow(
      number: number, line: number, key: "row-\(number)", input: nil, decision: .run(operations))
  }

  /// The line that delivers a row.
  static func line(
    _ row: PlannedRow, _ records: [JSON] = [], _ members: JSONObject = [:]
  ) -> JSON {
    var object = WorkLine.task(row, group: "0123456789abcdef")
    object["records"] = .array(records)
    for (name, value) in members.entries { object[name] = value }
    return .object(object)
  }

  /// Delivers lines to a worker, and waits until each of their rows has ended or was given back.
  func deliver(_ deliveries: [JSON]) async throws -> Result {
    let (stream, continuation) = AsyncStream<JSON>.makeStream()
    let journal = WorkJournal(
      WorkReader(codec: JournalCodec(key: key), isUndo: isUndo), lease: lease,
      isConnected: isConnected
    ) { continuation.yield($0) }
    journal.take(Self.hello.encodedBytes())
    journal.open(try await journal.hello())
    for line in deliveries { journal.take(line.encodedBytes()) }
    let count = deliveries.count
    let engine = Task { [acknowledges] in
      var lines: [JSON] = []
      var open = count
      for await line in stream {
        lines.append(line)
        if let number = line["seq"] {
          if try await acknowledges(line) {
            journal.take((["type": "ack", "seq": number] as JSON).encodedBytes())
          } else {
            journal.inputEnded()
          }
        }
        let isLast = ["released", "refused"].contains(line["type"]?.string ?? "")
        if isLast || line["end"] != nil { open -= 1 }
        if open == 0 { journal.take((["type": "finish"] as JSON).encodedBytes()) }
      }
      return lines
    }
    let executor = Executor(
      journal.reader.run, of: journal, settings: settings, on: project.loop
    ) { [project] (loop) throws(BatchProblem) in try project.makeAdmin(loop) }
    let end = try await executor.run()
    _ = journal.releaseAll()
    continuation.finish()
    return Result(lines: try await engine.value, end: end)
  }

  private var settings: BatchSettings {
    var settings = BatchSettings()
    // No call of a dead process is on its way.
    settings.settleTime = .zero
    settings.imageLifetime = imageLifetime
    return settings
  }
}
