import Encoding
import OIDC

/// Writes a plan file row by row.
///
/// The file is readable by its owner only, as rows may hold passwords, and appears under its name when it is
/// complete. A writer that is let go before `finish` leaves nothing behind.
public final class PlanWriter {
  private let file: OutputFile
  private let digest = RunningSHA256()

  /// What has been written so far.
  public private(set) var counts = PlanCounts()

  /// Begins a plan that takes the place of a file with that path when it is complete.
  public convenience init(path: String, header: PlanHeader) throws(BatchProblem) {
    try self.init(try OutputFile(path: path), header: header)
  }

  /// Begins a plan in a file that is open.
  init(_ file: OutputFile, header: PlanHeader) throws(BatchProblem) {
    self.file = file
    try write(header.json)
  }

  /// Adds a row; rows come in the order of their numbers.
  public func add(_ row: PlannedRow) throws(BatchProblem) {
    counts.add(row)
    try write(row.json)
  }

  /// Writes the last line, makes everything durable and gives the file its name.
  public func finish() throws(BatchProblem) -> CheckedPlan {
    let end = JSONObject(
      [("end", true)] + counts.json.entries.map { ($0.key, $0.value) }
        + [("sha256", .string(digest.hex()))])
    try write(.object(end))
    try file.finish()
    return CheckedPlan(counts: counts, digest: digest.hex())
  }

  private func write(_ json: JSON) throws(BatchProblem) {
    var line = json.encodedBytes()
    line.append(0x0A)
    line.withUnsafeBufferPointer { digest.update($0) }
    try file.write(line)
  }
}
