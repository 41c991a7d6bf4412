import Synchronization

/// Reads a plan file row by row.
///
/// Any task may use it, and what several read is shared out among them.
public final class PlanReader: Sendable {
  /// What the plan was made from, and what for.
  public let header: PlanHeader
  /// The path as it was given.
  public let path: String

  private struct State: ~Copyable {
    let source: InputSource
    let pass: PlanPass
  }
  private let state: Mutex<State>

  /// Opens a plan and reads its first line.
  ///
  /// Refused are a file of something else, and a plan of another version.
  public init(path: String) throws(BatchProblem) {
    let source = try Self.open(path)
    let pass = try PlanPass(try InputSource(again: source), isSealed: true)
    self.path = path
    header = pass.header
    state = Mutex(State(source: source, pass: pass))
  }

  /// The next row; nil behind the last.
  ///
  /// Only when nil is given it is certain that the plan is whole and was not edited: before anything is done
  /// with rows, `check` has to say so.
  public func next() throws(BatchProblem) -> PlannedRow? {
    try state.withLock { (state) throws(BatchProblem) in try state.pass.row() }
  }

  /// Reads the whole file as it is now, without regard to `next`, and tells what it has.
  ///
  /// Refused are plans that were cut off or edited. Rows are not looked into, as nobody changed them.
  public func check() throws(BatchProblem) -> CheckedPlan {
    let source = try state.withLock { (state) throws(BatchProblem) in
      try InputSource(again: state.source)
    }
    let pass = try PlanPass(source, isSealed: true)
    while try pass.next() != nil {}
    guard let checked = pass.checked else { preconditionFailure("a plan ended unchecked") }
    return checked
  }

  /// Gives a plan that was edited on purpose a last line that fits, and the file's permissions anew.
  ///
  /// Every row is read, so that what no plan may hold is refused with its line.
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
