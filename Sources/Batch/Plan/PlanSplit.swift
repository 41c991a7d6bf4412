import System

/// One of several equal parts of a plan's rows, for one machine each.
struct BatchShard: Sendable, Equatable {
  /// The number of this part, from 1.
  let index: Int64
  /// The number of parts.
  let count: Int64

  /// Parses `2/5` as the second of five parts; nil for other text.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int64(parts[0]), let count = Int64(parts[1]),
      (1...1_000_000).contains(count), (1...count).contains(index)
    else { return nil }
    self.index = index
    self.count = count
  }

  /// The infix of its journal's name, before `.journal`.
  var infix: String { ".\(index)-of-\(count)" }
}

/// Which rows of a plan belong to a part, so that no two parts work on one account.
struct PlanSplit: Sendable {
  private let shard: BatchShard
  /// The rows that have accounts in common; nil if the plan is split by row number.
  private let groups: RowGroups?

  /// Reads the rows of a plan that bring accounts together.
  init(_ shard: BatchShard, of path: String) throws(BatchProblem) {
    self.shard = shard
    let reader = try PlanReader(path: path)
    guard reader.header.isSplitByAccount else {
      groups = nil
      return
    }
    var groups = RowGroups()
    while let row = try reader.next() { groups.add(row) }
    self.groups = groups
  }

  func has(_ row: PlannedRow) -> Bool {
    let number = groups?.group(of: row) ?? UInt64(row.number)
    return number % UInt64(shard.count) == UInt64(shard.index - 1)
  }
}

/// Groups of rows that have accounts in common, directly or through other rows.
struct RowGroups: Sendable {
  /// The account that stands for those which a row with several of them brings together.
  private var roots: [UInt64: UInt64] = [:]

  /// Adds a row; rows with one account change nothing and take no memory.
  mutating func add(_ row: PlannedRow) {
    let accounts = row.sharedAccounts
    for other in accounts.dropFirst() { join(accounts[0], other) }
  }

  /// Puts a row into the group of an earlier one.
  mutating func add(_ row: PlannedRow, to group: UInt64) {
    join(row.sharedAccounts.first ?? UInt64(row.number), group)
  }

  /// The group of a row: the hash of an account, or the row's number if it shares none with others.
  func group(of row: PlannedRow) -> UInt64 {
    row.sharedAccounts.first.map(root) ?? root(of: UInt64(row.number))
  }

  private func root(of account: UInt64) -> UInt64 {
    var account = account
    while let next = roots[account] { account = next }
    return account
  }

  private mutating func join(_ one: UInt64, _ other: UInt64) {
    let (one, other) = (root(of: one), root(of: other))
    if one != other { roots[max(one, other)] = min(one, other) }
  }
}

extension PlannedRow {
  /// A hash of each account that other rows may name too, in order.
  ///
  /// A plan refuses a second row for an account that a row creates, deletes or merges into another.
  var sharedAccounts: [UInt64] {
    guard case .run(let operations) = decision else { return [] }
    var seen: Set<ExactString> = []
    let shared = operations.flatMap(\.sharedUIDs).filter { seen.insert(ExactString($0)).inserted }
    return shared.map { uid in
      var hash = StableHash()
      hash.add(uid)
      return hash.value
    }
  }
}

extension Operation {
  fileprivate var sharedUIDs: [String] {
    switch self {
    case .merge(let survivor, _, _): [survivor]
    case .create, .delete: []
    default: uids
    }
  }
}
