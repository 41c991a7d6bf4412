public import Encoding

/// How many rows and operations a plan has, by kind.
public struct PlanCounts: Sendable, Equatable {
  /// How many rows there are.
  public private(set) var rows: Int64 = 0
  /// Rows with operations.
  public private(set) var run: Int64 = 0
  /// Rows for which nothing is to be done.
  public private(set) var skip: Int64 = 0
  /// Rows for which nothing can be done.
  public private(set) var refused: Int64 = 0
  /// How many operations there are of each name.
  public private(set) var operations: [String: Int64] = [:]

  /// Nothing yet.
  public init() {}

  /// Counts a row.
  public mutating func add(_ row: PlannedRow) {
    rows += 1
    switch row.decision {
    case .run(let list) where !list.isEmpty:
      run += 1
      for operation in list { operations[operation.name, default: 0] += 1 }
    case .run, .skip: skip += 1
    case .refuse: refused += 1
    }
  }

  /// The members that the last line of a plan file has of them.
  public var json: JSONObject {
    [
      "rows": .integer(rows), "run": .integer(run), "skip": .integer(skip),
      "refused": .integer(refused),
      "ops": .object(
        JSONObject(operations.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
    ]
  }
}

extension PlanCounts {
  /// Reads the members that the last line of a plan file has of them; nil when one is missing.
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

/// A plan that is complete and as it was written.
public struct CheckedPlan: Sendable, Equatable {
  /// What it has.
  public let counts: PlanCounts
  /// SHA-256 of the whole file, in hexadecimal.
  public let digest: String
}
