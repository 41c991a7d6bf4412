import System
import OIDC

/// Writes a plan file row by row.
///
/// Only the owner may read the file, because rows may hold passwords. The file gets its final name when it is
/// complete; a writer that is released before `finish` leaves nothing behind.
public final class PlanWriter {
  private let file: OutputFile
  private let digest = RunningSHA256()

  /// The counts of the rows written so far.
  private(set) var counts = PlanCounts()

  /// Creates a plan that replaces the file at `path` once it is complete.
  public convenience init(path: String, header: PlanHeader) throws(BatchProblem) {
    try self.init(try OutputFile(path: path), header: header)
  }

  init(_ file: OutputFile, header: PlanHeader) throws(BatchProblem) {
    self.file = file
    try write(header.json)
  }

  /// Adds a row; rows must come in number order.
  public func add(_ row: PlannedRow) throws(BatchProblem) {
    counts.add(row)
    try write(row.json)
  }

  /// Writes the last line, syncs the file to disk and moves it to its final path.
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
