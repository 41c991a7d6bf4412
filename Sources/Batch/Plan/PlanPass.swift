import OIDC
import System

/// One reading of a plan file from its first line to its last.
final class PlanPass {
  /// The maximum size of a line: of the header or of a row.
  private static let mostBytes = 256 << 20

  let header: PlanHeader
  /// The result of checking the last line; nil until it is read.
  private(set) var checked: CheckedPlan?

  private let name: String
  private let lines: LineReader
  private let digest = RunningSHA256()
  private let isSealed: Bool
  private var rows: Int64 = 0
  private var last: Int64?

  /// Reads the first line.
  ///
  /// With `isSealed` false, the last line may be missing or wrong.
  init(_ source: InputSource, isSealed: Bool) throws(BatchProblem) {
    name = source.name
    self.isSealed = isSealed
    lines = LineReader(try ByteWindow(source, inflating: false), limit: Self.mostBytes)
    guard case .text(let text)? = try lines.next() else {
      throw BatchProblem(
        .notLoaded, "\(name) is empty", hint: "make a plan with 'luath batch plan'")
    }
    digest.update(text)
    header = try PlanHeader(line: text, of: name)
  }

  /// The next row as text; nil at the end, after the last line was checked.
  func next() throws(BatchProblem) -> UnsafeBufferPointer<UInt8>? {
    guard checked == nil else { return nil }
    guard let line = try lines.next() else {
      guard isSealed else { return nil }
      throw BatchProblem(
        .notLoaded, "\(name) has no last line: it was cut off behind row \(rows)",
        hint: "\(Self.again); if rows were taken away on purpose, \(Self.seal(name))")
    }
    guard case .text(let text) = line else {
      throw BatchProblem(
        .notLoaded, "line \(lines.number) of \(name) is longer than a row can be",
        hint: Self.again)
    }
    if text.starts(with: "{\"end\":".utf8) {
      let end = Array(text)
      try finish(end)
      return nil
    }
    rows += 1
    digest.update(text)
    return text
  }

  func row() throws(BatchProblem) -> PlannedRow? {
    guard let text = try next() else { return nil }
    do throws(RowFailure) {
      let row = try Self.row(text)
      if !isSealed, case .run(let operations) = row.decision {
        for operation in operations { try operation.checkValues() }
        try row.expects.check()
      }
      if let last, row.number <= last {
        throw RowFailure("invalidPlan", "row \(row.number) stands behind row \(last)")
      }
      last = row.number
      return row
    } catch {
      throw BatchProblem(
        .notLoaded, "line \(lines.number) of \(name) is no row of a plan: \(error.message)",
        hint: "put the line right, and \(Self.seal(name)); or \(Self.again)")
    }
  }

  private static func row(_ text: UnsafeBufferPointer<UInt8>) throws(RowFailure) -> PlannedRow {
    let json: JSON
    do throws(JSONError) {
      // Deeper than the limit for rows and operations.
      let line = text.last == 0x0A ? text.dropLast() : text[...]
      json = try JSON.parse(UnsafeBufferPointer(rebasing: line), maximumDepth: 512)
    } catch {
      throw RowFailure("invalidPlan", "\(error.message) (column \(error.column))")
    }
    return try PlannedRow(ofPlan: json)
  }

  private func finish(_ end: [UInt8]) throws(BatchProblem) {
    let json = try? JSON.parse(end)
    guard let json, let counts = PlanCounts(json: json) else {
      guard isSealed else { return try expectNothingMore() }
      throw edited("its last line cannot be read")
    }
    try expectNothingMore()
    guard !isSealed || json["sha256"]?.string == digest.hex() else {
      throw edited("its text does not have the SHA-256 of its last line")
    }
    guard !isSealed || counts.rows == rows else {
      throw edited("it has \(rows) rows, and its last line counts \(counts.rows)")
    }
    end.withUnsafeBufferPointer { digest.update($0) }
    checked = CheckedPlan(counts: counts, digest: digest.hex())
  }

  private func expectNothingMore() throws(BatchProblem) {
    guard try lines.next() != nil else { return }
    throw BatchProblem(
      .notLoaded, "\(name) continues after its last line, at line \(lines.number)",
      hint: "\(Self.again); or move those lines before the last one, and \(Self.seal(name))")
  }

  private func edited(_ what: String) -> BatchProblem {
    BatchProblem(
      .notLoaded, "\(name) was changed after it was written: \(what)",
      hint: "\(Self.again); if it was edited on purpose, \(Self.seal(name))")
  }

  private static let again = "plan again with 'luath batch plan'"
  private static func seal(_ name: String) -> String { "seal it with 'luath batch seal \(name)'" }
}

extension PlannedRow {
  /// Reads a row of a plan, which has no follow-up operations; a journal may have some.
  init(ofPlan json: JSON) throws(RowFailure) {
    try self.init(json: json)
    guard case .run(let operations) = decision else { return }
    for case .followUp(let operation) in operations {
      throw RowFailure(
        "invalidPlan", "\(operation.kind): only luath's own commands make this operation")
    }
  }
}

extension PlanHeader {
  /// Reads the first line of a file, and reports what the file is if it is not a plan.
  fileprivate init(line: UnsafeBufferPointer<UInt8>, of name: String) throws(BatchProblem) {
    let json = try? JSON.parse(line)
    guard let json, let kind = json["luath"]?.string, kind == "plan" else {
      throw Self.foreign(line, json, name)
    }
    guard let version = json["version"]?.integer, version == Self.version else {
      let version = json["version"]?.integer.map { String($0) } ?? "no number"
      throw BatchProblem(
        .notLoaded, "\(name) is a plan of version \(version), and this luath reads \(Self.version)",
        hint: "run it with the luath that made it, or plan again with 'luath batch plan'")
    }
    do throws(RowFailure) {
      try self.init(json: json)
    } catch {
      throw BatchProblem(
        .notLoaded, "the first line of \(name) is not that of a plan: \(error.message)",
        hint: "plan again with 'luath batch plan'")
    }
  }

  private static func foreign(
    _ line: UnsafeBufferPointer<UInt8>, _ json: JSON?, _ name: String
  ) -> BatchProblem {
    let plan = "name a file that 'luath batch plan' wrote"
    // https://www.sqlite.org/fileformat.html section 1.3.
    if line.starts(with: "SQLite format 3\u{0}".utf8) {
      return BatchProblem(.notLoaded, "\(name) is a journal, and no plan", hint: plan)
    }
    if line.starts(with: [0x1F, 0x8B]) {
      return BatchProblem(
        .notLoaded, "\(name) is compressed", hint: "unpack it first: gunzip \(name)")
    }
    return BatchProblem(
      .notLoaded, "\(name) is no plan of luath", hint: plan)
  }
}
