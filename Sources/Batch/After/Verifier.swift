import Client
import HTTP
import IdentityToolkit
import System

/// Checks that accounts are in the state that the runs of a journal left them in.
///
/// All runs count together: if a later step sets a part of an account again, the earlier step is not checked for that
/// part. The later step may be of the same row, another row or an undo.
struct Verifier: Sendable {
  /// The counts of a check.
  struct Findings: Sendable {
    /// The number of rows checked: those that are done in some run, each counted once.
    var rows: Int64 = 0
    /// Changes that are in effect.
    var proved: Int64 = 0
    /// Changes that a later step has set again or undone.
    var superseded: Int64 = 0
    /// Custom operations, whose effects accounts do not show.
    var unseen: Int64 = 0
    /// The number of rows with a difference, each counted once.
    var different: Int64 = 0
    /// The number of differences: one for each run of a row.
    var differences: Int64 = 0
    /// Rows that are not done in some run, and are not checked for it.
    var unfinished: Int64 = 0
    /// Rows of these that are half done, and not undone.
    var halfDone: Int64 = 0
    /// The row that was checked last, if the check was ended early.
    var end: Place?
  }

  /// A row of a run, in the order in which rows are checked.
  struct Place: Sendable {
    let run: Int64
    let row: Int64
  }

  /// A row whose accounts differ from the state the run left.
  struct Difference: Sendable {
    /// The run of the row.
    let run: BatchRun
    /// The row's number in the input.
    let row: Int64
    /// The key of the row.
    let key: String
    /// The accounts and the parts that differ, without values.
    let causes: [String]
  }

  private let journal: any BatchJournal
  private let selection: RowSelection
  private let look: AccountLook
  /// The counts so far.
  private(set) var findings = Findings()

  init(
    _ journal: any BatchJournal, _ selection: RowSelection = RowSelection(),
    look: @escaping AccountLook
  ) {
    self.journal = journal
    self.selection = selection
    self.look = look
  }

  /// Runs the check, and passes each difference to `report` as it is found.
  ///
  /// - Parameter start: The row behind which an earlier check ended; nil to check all rows.
  mutating func run(
    after start: Place? = nil, _ progress: RowProgress = RowProgress(),
    _ report: (Difference) throws(BatchProblem) -> Void
  ) async throws(BatchProblem) {
    let runs = try await journal.runs()
    let latest = try LatestMoments()
    var unfinished = NumberSet()
    var halves = HalfDoneRows(undone: runs.undone)
    for run in runs { try await learn(run, latest, &unfinished, &halves, progress) }
    guard !progress.isCancelled else {
      findings.end = start ?? Place(run: 1, row: 0)
      return
    }
    findings.unfinished = unfinished.count
    for half in halves.rows {
      findings.halfDone += 1
      try report(half)
    }
    try latest.finish()
    var counted = Counted()
    for run in runs where run.number >= start?.run ?? 0 && findings.end == nil {
      let last = run.number == start?.run ? start?.row : nil
      try await check(run, after: last, latest, &counted, progress, report)
    }
    findings.rows = counted.rows.count
    findings.different = counted.different.count
  }

  /// The numbers of the rows that were checked, and of those that differ.
  private struct Counted {
    var rows = NumberSet()
    var different = NumberSet()
  }

  private mutating func check(
    _ run: BatchRun, after last: Int64?, _ latest: LatestMoments, _ counted: inout Counted,
    _ progress: RowProgress, _ report: (Difference) throws(BatchProblem) -> Void
  ) async throws(BatchProblem) {
    var records = RowPages(
      journal, run, states: [.done], withSteps: true, after: last,
      size: AccountPages<RowRecord>.size)
    var pages = AccountPages<RowRecord>(look) { $0.row.uids + $0.changedUIDs }
    var place = Place(run: run.number, row: last ?? 0)
    while !progress.isCancelled,
      let page = try await pages.next({ [selection] () async throws(BatchProblem) in
        try await records.next()?.filter(selection.has)
      })
    {
      for record in page.rows {
        place = Place(run: run.number, row: record.row.number)
        counted.rows.insert(record.row.origin)
        let causes = check(record, of: run, page.images, latest)
        guard !causes.isEmpty else { continue }
        counted.different.insert(record.row.origin)
        findings.differences += 1
        try report(
          Difference(run: run, row: record.row.origin, key: record.row.key, causes: causes))
      }
      progress.note(rows: counted.rows.count, faults: counted.different.count)
    }
    await pages.end()
    if progress.isCancelled { findings.end = place }
  }

  /// Records when each part of an account was set, and which rows are not done.
  private func learn(
    _ run: BatchRun, _ latest: LatestMoments, _ unfinished: inout NumberSet,
    _ halves: inout HalfDoneRows, _ progress: RowProgress
  ) async throws(BatchProblem) {
    var pages = RowPages(journal, run, withSteps: true)
    while !progress.isCancelled, let page = try await pages.next() {
      progress.note(read: page.count)
      for record in page {
        switch record.state {
        case .waiting, .claimed, .failed, .halfDone:
          if selection.has(record) { unfinished.insert(record.row.origin) }
        case .done, .skipped, .refused: break
        }
        if selection.has(record) { halves.note(record, of: run) }
        for step in record.steps where step.isInEffect {
          guard let uid = step.intent.change.uid else { continue }
          let moment = Moment(
            run: run.number, row: record.row.number, step: step.intent.step)
          for facet in step.intent.change.facets { try latest.note(uid, facet, moment) }
        }
      }
    }
  }

  /// The differences between the accounts and the state that a row left.
  private mutating func check(
    _ record: RowRecord, of run: BatchRun, _ images: AccountImages, _ latest: LatestMoments
  ) -> [String] {
    var causes: [String] = []
    for (number, change, step) in record.expected(images) {
      let moment = Moment(run: run.number, row: record.row.number, step: number)
      guard let uid = change.uid, change.isVisible else {
        findings.unseen += 1
        continue
      }
      let rest = change.leavingOut { facet in
        latest.isSet(uid, facet, after: moment)
      }
      guard let rest else {
        findings.superseded += 1
        continue
      }
      let now = images[uid]
      // Without the account before the change, it is unknown whether a password was set.
      if rest.isDone(in: now, since: step?.intent.before) {
        findings.proved += 1
      } else {
        let cause = "\(uid): \(rest.difference(from: now, since: step?.intent.before))"
        // Several steps of a row change one account.
        if !causes.contains(cause) { causes.append(cause) }
      }
    }
    return causes
  }
}

/// The rows of all runs that are half done, without those that a later run has undone.
private struct HalfDoneRows {
  /// The runs that are undone.
  let undone: Set<Int64>
  private(set) var rows: [Verifier.Difference] = []

  init(undone: Set<Int64>) { self.undone = undone }

  /// Takes note of a row; runs come in their order.
  mutating func note(_ record: RowRecord, of run: BatchRun) {
    switch record.state {
    case .halfDone:
      let cause = record.fault.map { "half done: \($0.message)" } ?? "half done"
      rows.append(
        Verifier.Difference(run: run, row: record.row.origin, key: record.row.key, causes: [cause]))
    case .done where run.kind.isUndo && !undone.contains(run.number):
      rows.removeAll { $0.run.number == run.of && $0.row == record.row.origin }
    default: break
    }
  }
}

extension StepOutcome.Result {
  var isChange: Bool {
    switch self {
    case .done, .reconciled: true
    case .already, .failed, .takenBack: false
    }
  }
}

extension RowRecord {
  fileprivate var changedUIDs: [String] { steps.compactMap(\.intent.change.uid) }

  /// The changes of a row that is done, in order, with their steps.
  ///
  /// A change that was already in effect has no recorded step; it is computed from the operations.
  fileprivate func expected(
    _ images: AccountImages
  ) -> [(number: Int, change: Change, step: StepRecord?)] {
    let made = steps.filter { $0.outcome?.result.isChange ?? false }
    let byNumber = Dictionary(made.map { ($0.intent.step, $0) }) { _, last in last }
    let recorded = made.map { ($0.intent.step, $0.intent.change, Optional($0)) }
    guard case .run(let operations) = row.decision else { return recorded }
    var list: [(Int, Change, StepRecord?)] = []
    var count = 0
    for operation in operations {
      if case .followUp = operation { return recorded }
      // Use the accounts as the first step for each of them saw them.
      var accounts = images
      var seen: Set<ExactString> = []
      for record in steps.sorted(by: { $0.intent.step < $1.intent.step })
      where record.intent.step > count {
        guard let uid = record.intent.change.uid, seen.insert(ExactString(uid)).inserted else {
          continue
        }
        accounts[uid] = record.intent.before
      }
      guard let changes = operation.changes(nearest: accounts) else { return recorded }
      for change in changes {
        count += 1
        list.append((count, byNumber[count]?.intent.change ?? change, byNumber[count]))
      }
    }
    // The recorded steps take precedence if the operations now produce fewer changes.
    guard made.allSatisfy({ $0.intent.step <= count }) else { return recorded }
    return list
  }
}

extension Operation {
  /// The changes as of accounts that may have changed since: an empty account takes the place of one that is gone, or to
  /// which the operation does not apply any more.
  fileprivate func changes(nearest accounts: AccountImages) -> [Change]? {
    var accounts = accounts
    let gone = uids.filter { accounts[$0] == nil }
    for uid in [nil] + gone.map(Optional.some) + uids.map(Optional.some) {
      if let uid { accounts[uid] = ["localId": .string(uid)] }
      if let changes = try? changes(for: accounts) { return changes }
    }
    return nil
  }
}

extension Change {
  /// The difference from what the change left, as text for users without values.
  fileprivate func difference(from account: JSON?, since before: JSON?) -> String {
    switch self {
    case .create: return account == nil ? "it is gone" : "it is not as it was made"
    case .delete: return "it is there again"
    case .update, .linkAsUser, .custom:
      guard account != nil else { return "it is gone" }
      return "changed since: \(missing(in: account, since: before))"
    }
  }
}

/// Looks up accounts in batches, for commands that change nothing.
actor AccountReader {
  private nonisolated let loop: EventLoop
  private let makeAdmin: @Sendable (EventLoop) throws(BatchProblem) -> sending Admin
  private var made: Admin?

  /// The executor of the loop's thread.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Creates a reader; `makeAdmin` is called on the loop's thread at the first lookup.
  init(
    on loop: EventLoop,
    makeAdmin: @escaping @Sendable (EventLoop) throws(BatchProblem) -> sending Admin
  ) {
    self.loop = loop
    self.makeAdmin = makeAdmin
  }

  /// The existing accounts with these uids; duplicate uids are looked up once.
  func images(of uids: [String]) async throws(BatchProblem) -> AccountImages {
    let admin = try admin()
    var seen: Set<ExactString> = []
    let unique = uids.filter { seen.insert(ExactString($0)).inserted }
    var images = AccountImages()
    var start = 0
    while start < unique.count {
      let end = min(unique.count, start + Admin.mostLookedUp)
      do throws(AdminError) {
        for user in try await admin.lookUpWire(unique[start..<end].map { .uid($0) }) {
          if let uid = user["localId"]?.string { images[uid] = user }
        }
      } catch {
        throw BatchProblem(.unavailable, error.message, hint: error.hint)
      }
      start = end
    }
    return images
  }

  private func admin() throws(BatchProblem) -> Admin {
    if let made { return made }
    let admin = try makeAdmin(loop)
    made = admin
    return admin
  }
}

/// Looks up accounts by uid.
typealias AccountLook =
  @Sendable ([String]) async throws(BatchProblem) -> AccountImages
