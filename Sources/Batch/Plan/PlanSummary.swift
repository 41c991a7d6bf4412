import Client
import System

/// The counts of a plan, for a user to approve.
struct PlanSummary: Sendable {
  /// Rows that share a reason or an error code.
  struct Group: Sendable {
    /// The number of rows.
    var count: Int64 = 0
    /// The input lines of the first few rows.
    var lines: [Int64] = []
    /// The message of the first row.
    var example = ""
    /// The different messages of these rows, ignoring row values.
    var messages = MessageShapes()
  }

  /// The maximum number of lines per group.
  private static let mostLines = 5
  /// The maximum number of different reasons, and of different error codes.
  private static let mostReasons = 1000

  /// The number of all rows.
  private(set) var rows: Int64 = 0
  /// Rows with operations.
  private(set) var run: Int64 = 0
  /// Rows that need no change.
  private(set) var skipped: Int64 = 0
  /// Refused rows.
  private(set) var refused: Int64 = 0
  /// The number of operations by name.
  private(set) var operations: [String: Int64] = [:]
  /// The skipped rows by reason.
  private(set) var reasons: [String: Group] = [:]
  /// The refused rows by code.
  private(set) var refusals: [String: Group] = [:]
  /// E-mail addresses that several accounts have, as far as rows looked them up.
  private(set) var sharedEmails = Group()
  private var seenEmails: Set<UInt64> = []

  /// Adds a row to the counts.
  mutating func add(_ row: PlannedRow) {
    rows += 1
    switch row.decision {
    case .run(let list):
      run += 1
      for operation in list { operations[operation.name, default: 0] += 1 }
    case .skip:
      skipped += 1
      var reason = row.reason ?? "without a reason"
      if reasons[reason] == nil, reasons.count >= Self.mostReasons { reason = "other reasons" }
      Self.add(row.line, row.reason ?? "", to: &reasons[reason, default: Group()])
    case .refuse(let fault):
      refused += 1
      var code = fault.code
      // A script can use any number of different codes.
      if refusals[code] == nil, refusals.count >= Self.mostReasons { code = "otherCauses" }
      Self.add(row.line, fault.message, to: &refusals[code, default: Group()])
      refusals[code]?.messages.add(fault.message, of: row)
    }
  }

  /// Records an e-mail address that several accounts have; at most a million addresses are recorded.
  mutating func add(shared email: String, _ uids: [String], line: Int64) {
    let key = AccountKey(.email(email)).number
    guard seenEmails.count < 1_000_000, seenEmails.insert(key).inserted else { return }
    let names = uids.prefix(3).map(PlanFaults.brief).joined(separator: ", ")
    Self.add(
      line, "\(PlanFaults.brief(email)): \(names)\(uids.count > 3 ? ", …" : "")",
      to: &sharedEmails)
  }

  private static func add(_ line: Int64, _ example: String, to group: inout Group) {
    if group.count == 0 { group.example = example }
    group.count += 1
    if group.lines.count < mostLines { group.lines.append(line) }
  }
}

extension PlanSummary {
  /// The maximum number of reasons and causes to print.
  private static let most = 8

  /// The summary as text for the user, without the path of the plan.
  var text: String {
    var lines = ["\(Self.count(rows, "row", "rows")) planned"]
    lines.append("  \(Self.padded(run)) to run" + kinds)
    lines.append("  \(Self.padded(skipped)) to skip")
    for (reason, group) in Self.top(reasons) {
      lines.append("  \(Self.padded(group.count))   \(PlanFaults.brief(reason))")
    }
    lines.append("  \(Self.padded(refused)) refused")
    for (code, group) in Self.top(refusals.filter { !PlanFaults.conflicts.contains($0.key) }) {
      lines += Self.lines(code, group)
    }
    let conflicts = refusals.filter { PlanFaults.conflicts.contains($0.key) }
    if !conflicts.isEmpty {
      let sum = conflicts.values.reduce(0) { $0 + $1.count }
      lines.append("  \(Self.padded(sum)) of them by conflicts")
      for (code, group) in Self.top(conflicts) { lines += Self.lines(code, group) }
    }
    if sharedEmails.count > 0 {
      let what = Self.count(
        sharedEmails.count, "address belongs to several accounts",
        "addresses belong to several accounts")
      lines.append("note: \(what), such as \(sharedEmails.example)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var kinds: String {
    guard !operations.isEmpty else { return "" }
    let list = operations.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return ": " + list.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  private static func lines(_ code: String, _ group: Group) -> [String] {
    let places = group.lines.map(String.init).joined(separator: ", ")
    let more = group.count > Int64(group.lines.count) ? ", …" : ""
    let word = group.count == 1 ? "line" : "lines"
    return [
      "  \(padded(group.count))   \(PlanFaults.brief(code)), \(word) \(places)\(more): "
        + PlanFaults.brief(group.example) + group.messages.more
    ]
  }

  private static func top(_ groups: [String: Group]) -> [(String, Group)] {
    let sorted = groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    var shown = sorted.prefix(most).map { ($0.key, $0.value) }
    let rest = sorted.dropFirst(most)
    if !rest.isEmpty {
      var group = Group()
      group.count = rest.reduce(0) { $0 + $1.value.count }
      group.lines = Array(rest.flatMap(\.value.lines).sorted().prefix(5))
      group.example = "the plan has each"
      shown.append(("\(rest.count) others", group))
    }
    return shown
  }

  private static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: " ", count: max(0, 7 - digits.count)) + digits
  }

  private static func count(_ number: Int64, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}

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
