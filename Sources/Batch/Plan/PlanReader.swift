import Synchronization

/// Reads a plan file row by row.
///
/// Any task may use it; tasks that call `next` concurrently get different rows.
public final class PlanReader: Sendable {
  /// The first line of the plan file.
  let header: PlanHeader
  /// The path as the caller gave it.
  let path: String

  private struct State: ~Copyable {
    let source: InputSource
    let pass: PlanPass
  }
  private let state: Mutex<State>

  /// Opens a plan and reads its first line.
  ///
  /// Throws if the file is not a plan, or a plan of another version.
  public init(path: String) throws(BatchProblem) {
    let source = try Self.open(path)
    let pass = try PlanPass(try InputSource(again: source), isSealed: true)
    self.path = path
    header = pass.header
    state = Mutex(State(source: source, pass: pass))
  }

  /// The next row; nil after the last.
  ///
  /// Only the final nil proves that the plan is complete and unedited, so call `check` before acting on rows.
  public func next() throws(BatchProblem) -> PlannedRow? {
    try state.withLock { (state) throws(BatchProblem) in try state.pass.row() }
  }

  /// Reads the whole file as it is now, independently of `next`, and returns its counts.
  ///
  /// Throws if the plan was cut off or edited. The rows are not parsed: the checksum shows that nobody changed them.
  public func check() throws(BatchProblem) -> CheckedPlan {
    let source = try state.withLock { (state) throws(BatchProblem) in
      try InputSource(again: state.source)
    }
    let pass = try PlanPass(source, isSealed: true)
    while try pass.next() != nil {}
    guard let checked = pass.checked else { preconditionFailure("a plan ended unchecked") }
    return checked
  }

  /// Writes a new last line for a plan that was edited on purpose, and resets the file's permissions.
  ///
  /// Parses every row, so that an invalid row is reported with its line.
  public static func seal(path: String) throws(BatchProblem) -> CheckedPlan {
    let pass = try PlanPass(try InputSource(again: try open(path)), isSealed: false)
    let writer = try PlanWriter(path: path, header: pass.header)
    while let row = try pass.row() { try writer.add(row) }
    return try writer.finish()
  }

  private static func open(_ path: String) throws(BatchProblem) -> InputSource {
    let source = try InputSource(path: path)
    guard source.isFile else {
      throw BatchProblem(
        .usage, "\(path) is no file, and a plan is read twice",
        hint: "write it to a file first")
    }
    return source
  }
}
