import System

extension Executor {
  /// The name of the operation of steps that take others back.
  static let takingBack = "luath:takeBack"

  /// Takes back the steps of a row of which a later step was refused, and records the row's end.
  ///
  /// - Returns: The end of the row; nil if the run ended before, so that a later run goes on.
  func takeBack(
    _ row: ClaimedRow, after refusal: RowFailure, claimedAt: Duration
  ) async -> RowEnd? {
    let lost = row.made.flatMap(\.inverse.lost)
    let fault = RowFailure.takenBack(after: refusal, lost: lost)
    do throws(StepStop) {
      try await takeBack(row, then: fault, claimedAt: claimedAt)
      return RowEnd(state: .failed, fault: fault)
    } catch {
      return halfDone(row, after: refusal, error)
    }
  }

  /// Finishes taking the steps of a row back, which an earlier run has begun.
  ///
  /// Returns if the row begins anew: somebody has requeued it, or nobody knows why it was refused.
  func finishTakingBack(_ row: inout ClaimedRow, claimedAt: Duration) async throws(StepStop) {
    if !row.made.isEmpty {
      if let refusal = row.refusal, !row.isRetried {
        guard let end = await takeBack(row, after: refusal, claimedAt: claimedAt) else {
          throw .ended
        }
        throw .over(end)
      }
      do throws(StepStop) {
        try await takeBack(row, then: nil, claimedAt: claimedAt)
      } catch {
        guard let end = halfDone(row, after: row.refusal, error) else { throw .ended }
        throw .over(end)
      }
    }
    do throws(BatchProblem) {
      forgot(try await journal.forget(batch, row: row.row.number))
    } catch {
      fail(error)
      throw .ended
    }
    row.steps = []
  }

  /// Records that the steps of a row could not be taken back; nil if the run ended before.
  private func halfDone(
    _ row: ClaimedRow, after refusal: RowFailure?, _ reason: StepStop
  ) -> RowEnd? {
    switch reason {
    case .ended: return nil
    case .over(let end): return end
    case .fault(let fault), .doubt(let fault), .refused(_, let fault):
      let cause = RowSecrets(row.row).clean(fault)
      return end(row, .halfDone, .halfDone(after: refusal, because: cause))
    }
  }

  /// Takes back the steps of a row that are in effect, last step first.
  ///
  /// - Parameter fault: The error of the row, which ends with its last step; nil if it goes on.
  private func takeBack(
    _ row: ClaimedRow, then fault: RowFailure?, claimedAt: Duration
  ) async throws(StepStop) {
    var images = RowImages()
    let made = row.made
    if !row.isBeingTakenBack { try await checkUnchanged(made, &images) }
    for (index, record) in made.enumerated() {
      try await takeBack(record, of: row, &images, claimedAt: claimedAt)
      guard var outcome = record.outcome else { continue }
      outcome.result = .takenBack
      outcome.at = Timestamp.now
      // The last step ends the row in the same commit, so that no other run takes it for unfinished.
      let end = index == made.count - 1 ? fault : nil
      journal.settle(
        batch, outcome, row: outcome.row, end: end.map { _ in .failed }, fault: end)
      tookBack(row, record, outcome)
    }
  }

  /// Takes back one step.
  private func takeBack(
    _ record: StepRecord, of row: ClaimedRow, _ images: inout RowImages, claimedAt: Duration
  ) async throws(StepStop) {
    let parts = row.parts(takingBack: record)
    // The run that began to take the row back has checked this step, but it may have been changed since.
    if row.isBeingTakenBack, parts.allSatisfy({ $0.known == nil }), record.intent.change.isVisible {
      try await checkUnchanged([record], &images)
    }
    for part in parts {
      if let outcome = part.known?.outcome, outcome.result != .failed { continue }
      let step = RowStep(
        row: row, kind: Self.takingBack, number: part.number, change: part.change,
        record: part.known, isLast: false, claimedAt: claimedAt, undoesDoubt: false, isBegun: true,
        isFirst: false,
        takesOthersBack: false)
      try await carryOut(step, &images)
    }
  }

  /// Checks that nobody has changed what steps have done, so that either all of them are taken back or none.
  private func checkUnchanged(
    _ made: [StepRecord], _ images: inout RowImages
  ) async throws(StepStop) {
    try await refresh(&images, made.compactMap(\.intent.change.uid))
    do throws(RowFailure) {
      _ = try FollowUp.undoing(
        made.map { UndoneStep(change: $0.intent.change, before: $0.intent.before) }, images.images)
    } catch {
      throw .fault(error)
    }
  }
}

extension BatchRun {
  /// Whether a refused row is taken back.
  ///
  /// The deletions of a finalize run stay: the accounts that they delete are empty, and each stands for itself.
  var takesBack: Bool { kind != .finalize }
}

extension StepRecord {
  /// Whether the step made a change that is in effect.
  var isInEffect: Bool { intent.step > 0 && outcome?.result.isChange ?? false }

  /// The changes that take the step back, and what they do not restore.
  fileprivate var inverse: InverseOfChange {
    intent.change.inverse(before: intent.before, after: nil)
  }
}

extension ClaimedRow {
  /// The steps that are in effect, last step first.
  var made: [StepRecord] {
    steps.filter(\.isInEffect).sorted { $1.intent.step < $0.intent.step }
  }

  /// Whether it is unknown if one of the operations' steps was carried out.
  var isInDoubt: Bool { steps.contains { $0.intent.step > 0 && $0.outcome == nil } }

  /// Whether a run has begun to take the row's steps back.
  var isBeingTakenBack: Bool {
    steps.contains { $0.intent.step < 0 || $0.outcome?.result == .takenBack }
  }

  /// Whether the row was requeued after a step could not be taken back.
  fileprivate var isRetried: Bool {
    steps.contains { $0.intent.step < 0 && $0.outcome?.result == .failed }
  }

  /// Why the row was refused, if a step was.
  fileprivate var refusal: RowFailure? {
    steps.last { $0.intent.step > 0 && $0.outcome?.result == .failed }?.outcome?.fault
  }

  /// The steps that take a step back, with what the journal knows of them.
  fileprivate func parts(
    takingBack record: StepRecord
  ) -> [(number: Int, change: Change, known: StepRecord?)] {
    record.inverse.changes.enumerated().map { part, change in
      let number = StepIntent.number(takingBack: record.intent.step, part: part)
      return (number, change, steps.first { $0.intent.step == number })
    }
  }
}

extension RowFailure {
  /// Whether earlier steps of the row stay as they are.
  ///
  /// A person has to look whether the step in doubt was carried out, and retry goes on with it. An undo keeps what
  /// it undid before an operation that cannot be undone.
  var leavesSteps: Bool { [Self.inDoubt, "notRestorable"].contains(code) }

  /// The code of a step of which nobody knows whether it was carried out.
  static let inDoubt = "inDoubt"

  /// The error of a row whose earlier steps were taken back.
  fileprivate static func takenBack(after refusal: RowFailure, lost: [String]) -> RowFailure {
    var words = "\(refusal.message); the earlier steps of the row were taken back"
    if !lost.isEmpty { words += ", but not restored: \(lost.joined(separator: "; "))" }
    return RowFailure(refusal.code, words)
  }

  /// The error of a row whose earlier steps could not be taken back.
  fileprivate static func halfDone(
    after refusal: RowFailure?, because cause: RowFailure
  ) -> RowFailure {
    let why = refusal.map { "\($0.message) (\($0.code)); " } ?? ""
    return RowFailure(
      "halfDone", "\(why)earlier steps of the row could not be taken back: \(cause.message)")
  }

  /// The error of a row that ends while the outcome of a step is unknown, and earlier steps are in effect.
  static func inDoubt(after cause: RowFailure) -> RowFailure {
    RowFailure(
      "halfDone",
      "\(cause.message) (\(cause.code)); it is unknown whether the step was carried out, and earlier steps of the "
        + "row are in effect: retry checks again and continues")
  }
}
