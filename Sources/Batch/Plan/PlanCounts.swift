import System

/// The numbers of rows and operations of a plan.
struct PlanCounts: Sendable, Equatable {
  /// The number of rows.
  private(set) var rows: Int64 = 0
  /// Rows with operations.
  private(set) var run: Int64 = 0
  /// Rows that need no change.
  private(set) var skip: Int64 = 0
  /// Refused rows.
  private(set) var refused: Int64 = 0
  /// The number of operations by name.
  private(set) var operations: [String: Int64] = [:]

  /// Creates counts of zero.
  init() {}

  /// Adds a row to the counts.
  mutating func add(_ row: PlannedRow) {
    rows += 1
    switch row.decision {
    case .run(let list) where !list.isEmpty:
      run += 1
      for operation in list { operations[operation.name, default: 0] += 1 }
    case .run, .skip: skip += 1
    case .refuse: refused += 1
    }
  }

  /// The counts as members of the last line of a plan file.
  var json: JSONObject {
    [
      "rows": .integer(rows), "run": .integer(run), "skip": .integer(skip),
      "refused": .integer(refused),
      "ops": .object(
        JSONObject(operations.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
    ]
  }
}

extension PlanCounts {
  /// Reads the counts from the last line of a plan file; nil if a member is missing.
  init?(json: JSON) {
    guard let rows = json["rows"]?.integer, let run = json["run"]?.integer,
      let skip = json["skip"]?.integer, let refused = json["refused"]?.integer,
      let operations = json["ops"]?.object
    else { return nil }
    self.rows = rows
    self.run = run
    self.skip = skip
    self.refused = refused
    for (name, count) in operations.entries {
      guard let count = count.integer else { return nil }
      self.operations[name] = count
    }
  }
}

/// The result of checking a plan: it is complete and unedited.
public struct CheckedPlan: Sendable, Equatable {
  /// The row and operation counts.
  let counts: PlanCounts
  /// SHA-256 of the whole file, in hexadecimal.
  let digest: String
}
