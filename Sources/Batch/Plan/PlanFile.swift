import OIDC
import Synchronization
import System

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
    /// The digest that `check` has found.
    var digest: String?
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
  /// Only the final nil proves that the plan is complete and unedited, so call `check` before acting on rows. After
  /// `check`, it also proves that the file has not changed meanwhile.
  public func next() throws(BatchProblem) -> PlannedRow? {
    try state.withLock { (state) throws(BatchProblem) in
      if let row = try state.pass.row() { return row }
      guard state.digest == nil || state.digest == state.pass.checked?.digest else {
        throw BatchProblem(
          .notLoaded, "\(path) was changed while it was read", hint: "give the command again")
      }
      return nil
    }
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
    state.withLock { $0.digest = checked.digest }
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

/// A row after the script and the lookups have run, before conflicts with other rows are checked.
struct FinishedRow: Sendable {
  var row: PlannedRow
  /// Whether the input line could be parsed.
  var isReadable = true
  /// What the row claims exclusively if it runs.
  var claims: [PlanClaim] = []
  /// E-mail addresses that several accounts have, with the uids of these accounts.
  var sharedEmails: [(String, [String])] = []
}

/// Takes rows in number order, refuses rows that conflict with an earlier row, and counts.
struct PlanBook: ~Copyable {
  /// The counts of the rows so far.
  private(set) var summary = PlanSummary()
  private var claims: PlanClaims

  /// - Parameter claims: No claims; tests keep few of them in memory.
  init(_ claims: consuming PlanClaims = PlanClaims()) { self.claims = claims }

  /// Adds the next row, and returns it as it is written to the plan.
  mutating func enter(_ finished: FinishedRow) throws(BatchProblem) -> PlannedRow {
    var row = finished.row
    do throws(SystemError) { try claims.makeRoom() } catch {
      throw BatchProblem(
        .unavailable, "the claims of the rows cannot be written: \(error.message)",
        hint: "set TMPDIR to a folder with free space: about 100 bytes for each row")
    }
    do throws(RowFailure) {
      if finished.isReadable { try claims.take([.key(row.key)], for: row.number) }
      if case .run(let operations) = row.decision {
        try claims.take(finished.claims, for: row.number)
        row.expects.note(changedBy: claims, before: row.number)
        try claims.take(
          operations.flatMap(\.changedFields).map { .change(uid: $0.uid, field: $0.field) },
          for: row.number)
      }
    } catch {
      row.decision = .refuse(error)
      row.reason = nil
    }
    row = row.withCleanCause
    for (email, uids) in finished.sharedEmails {
      summary.add(shared: email, uids, line: row.line)
    }
    summary.add(row)
    return row
  }
}

extension PlanHeader {
  /// Reads the first line of a plan file; the caller has checked its kind and version.
  init(json: JSON) throws(RowFailure) {
    let reader = try MemberReader(
      json.object ?? [:],
      names: [
        "luath", "version", "project", "tenant", "arguments", "script", "scriptDigest", "modules",
        "input", "columns", "made", "sample", "split",
      ])
    self.init(
      projectID: try reader.text("project"), tenantID: try reader.textIfAny("tenant"),
      script: try reader.text("script"), scriptDigest: try reader.text("scriptDigest"),
      input: try reader.text("input"), columns: try reader.textsIfAny("columns") ?? [],
      made: try reader.text("made"),
      sample: try reader.integerIfAny("sample"))
    arguments = try reader.objectIfAny("arguments") ?? [:]
    guard arguments.entries.allSatisfy({ $0.value.string != nil }) else {
      throw reader.fault("arguments must be strings", code: "invalidPlan")
    }
    modules = try reader.objectIfAny("modules").map { object throws(RowFailure) in
      var modules: [String: String] = [:]
      for (name, digest) in object.entries {
        guard let digest = digest.string else {
          throw reader.fault("modules must be strings", code: "invalidPlan")
        }
        modules[name] = digest
      }
      return modules
    }
    isSplitByAccount = try reader.textIfAny("split") == Self.byAccount
  }

  private static let byAccount = "account"

  var json: JSON {
    var object: JSONObject = [
      "luath": "plan", "version": .integer(Self.version), "project": .string(projectID),
    ]
    object["tenant"] = tenantID.map(JSON.string)
    if !arguments.entries.isEmpty { object["arguments"] = .object(arguments) }
    object["script"] = .string(script)
    object["scriptDigest"] = .string(scriptDigest)
    if let modules {
      object["modules"] = .object(
        JSONObject(modules.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }
    object["input"] = .string(input)
    object["columns"] = .array(columns.map(JSON.string))
    object["made"] = .string(made)
    object["sample"] = sample.map(JSON.integer)
    if isSplitByAccount { object["split"] = .string(Self.byAccount) }
    return .object(object)
  }
}
