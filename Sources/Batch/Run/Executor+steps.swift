import System

private struct StepProgress {
  var intent: StepIntent?
  /// Whether a call may have taken effect although its response was lost.
  var isInDoubt: Bool
  /// Whether the step was ever in doubt.
  var wasInDoubt: Bool
  var tries: Tries
  var calls = 0
  var took = Duration.zero
  /// The run's count of changes at the last failure.
  var changed: Int64
  /// The last failure, set once no tries are left.
  var last: CallFailure?
  /// The outcome, once it is recorded.
  var outcome: StepOutcome?

  /// The step in the journal; nil if it needed no intent.
  var record: StepRecord? { intent.map { StepRecord(intent: $0, outcome: outcome) } }
}

extension Executor {
  /// Carries out a step: records the intent, makes the call with retries, and records the outcome.
  ///
  /// - Returns: The step in the journal; nil if the account was in the target state already.
  @discardableResult
  func carryOut(
    _ step: RowStep, _ images: inout RowImages
  ) async throws(StepStop) -> StepRecord? {
    var progress = StepProgress(
      intent: step.recorded, isInDoubt: step.recorded != nil, wasInDoubt: step.recorded != nil,
      tries: Tries(most: settings.tries), changed: changed)
    let successes = gate.successes
    if step.recorded != nil {
      // The previous owner of the row may have died just before this process claimed it, with a call still in flight.
      let wait = step.claimedAt + settings.settleTime - gate.now
      if wait > .zero, !(await gate.rest(for: wait)) { throw .ended }
    }
    while true {
      if try await settleWithoutCall(step, &progress, &images) { return progress.record }
      if let failure = progress.last {
        if isSilent(failure, of: step, since: successes) {
          wasSilent = true
          fail(.silent(failure.fault.message, progress.tries.failed))
          throw .ended
        }
        throw settleFailure(step, progress, failure.fault)
      }
      guard let result = try await attempt(step, &progress, &images) else { return progress.record }
      if let uid = step.uids.first { images.forget(uid) }
      switch result {
      case .ended: throw .ended
      case .done(let took):
        lostRows = []
        changed += 1
        progress.took += took
        settle(step, .done, &progress)
        return progress.record
      case .failed(let failure):
        progress.took += failure.duration
        try await take(failure, step, &progress)
      }
    }
  }

  /// Whether the backend is to blame instead of the row: it throttles, or fails for all rows.
  private func isSilent(
    _ failure: CallFailure, of step: RowStep, since successes: Int64
  ) -> Bool {
    switch failure.kind {
    case .row, .run: return false
    case .throttled: return true
    case .retryable:
      if gate.successes == successes || lostRows.count + 1 >= Self.mostLostRows { return true }
      // A row is here a second time when its steps could not be taken back either.
      if !lostRows.contains(where: { $0.number == step.row.row.number }) {
        lostRows.append(step.row.row)
      }
      return false
    }
  }

  /// How many consecutive rows may fail because of the backend before the run ends.
  private static var mostLostRows: Int { 20 }

  /// Settles the step if the account is already in the target state; looks it up again if a call's outcome is unknown.
  private func settleWithoutCall(
    _ step: RowStep, _ progress: inout StepProgress, _ images: inout RowImages
  ) async throws(StepStop) -> Bool {
    guard progress.isInDoubt || progress.intent == nil else { return false }
    var isDone: Bool?
    do throws(StepStop) {
      if progress.isInDoubt || isStale(step.uids, images) {
        try await refresh(&images, step.uids, notBefore: progress.isInDoubt ? gate.now : nil)
      }
      let account = step.uids.first.flatMap { images.images[$0] }
      if step.change.isVisible {
        isDone = step.change.isDone(in: account, since: progress.intent?.before)
      } else {
        isDone = try await self.isDone(step.change, account)
      }
    } catch .fault(let fault) where progress.isInDoubt {
      throw .doubt(fault)
    }
    if isDone == nil, progress.isInDoubt || step.undoesDoubt {
      let what = step.undoesDoubt ? "what it takes back" : step.kind
      let cause = progress.last.map { " (\($0.fault.message))" } ?? ""
      let fault = RowFailure(
        RowFailure.inDoubt,
        "cannot find out whether \(what) was carried out\(cause), as it has no isDone: check it by hand"
          + (step.undoesDoubt ? "" : ", then luath batch resolve"))
      throw settleFailure(step, progress, fault)
    }
    guard isDone == true else {
      progress.isInDoubt = false
      return false
    }
    settle(step, progress.wasInDoubt ? .reconciled : .already, &progress)
    return true
  }

  /// Whether a custom operation is done; nil when it has no `isDone`.
  private func isDone(_ change: Change, _ account: JSON?) async throws(StepStop) -> Bool? {
    guard case .custom(let name, let uid, let arguments) = change, let custom else { return nil }
    do throws(CustomFailure) {
      return try await custom.isDone(name, uid: uid, arguments: arguments, account: account)
    } catch {
      throw .fault(error.fault)
    }
  }

  /// Records the intent, then makes the call; nil when the step was settled without a call.
  private func attempt(
    _ step: RowStep, _ progress: inout StepProgress, _ images: inout RowImages
  ) async throws(StepStop) -> CallResult? {
    let isBegun = step.isBegun || progress.intent != nil
    let goesTogether = step.change.goesTogether
    if goesTogether {
      guard gate.mayBegin(isBegun: isBegun) else { throw .ended }
    } else {
      try await admit(isBegun: isBegun)
    }
    defer { if !goesTogether { gate.retire() } }
    // A lookup does not always tell whether a custom operation was carried out, so wait for nothing between its intent
    // and its call.
    let isCustom = !step.change.isVisible
    if isCustom, !(await gate.enter()) { throw .ended }
    defer { if isCustom { gate.leave() } }
    let uids = step.uids
    if progress.intent == nil {
      // The wait for a permit may have been long, so check the state again.
      if isStale(uids, images), try await settleWithoutCall(step, &progress, &images) {
        return nil
      }
    }
    // The backend may write an import over an account that exists.
    if case .create(_, _, false) = step.change, !progress.wasInDoubt, let uid = uids.first,
      images.images[uid] != nil
    {
      throw .fault(PlanFaults.existing(uid))
    }
    if step.isFirst, progress.calls == 0, !step.row.row.expects.isEmpty {
      do throws(StepStop) {
        try await checkPreconditions(of: step.row.row, &images)
      } catch .fault(let fault) where progress.intent != nil {
        throw settleFailure(step, progress, fault)
      }
    }
    if mustCheckLink(step, images) { try await checkLink(step, progress, &images) }
    if progress.intent == nil {
      var before = uids.first.flatMap { images.images[$0] }
      // Only deletions and imports replace a password hash, and these go together.
      if goesTogether { before = try await withHash(before) }
      let intent = StepIntent(
        row: step.row.row.number, step: step.number, change: step.change, before: before,
        at: Timestamp.now)
      do throws(BatchProblem) { try await journal.intend(batch, intent) } catch {
        fail(error)
        throw .ended
      }
      progress.intent = intent
      // The journal may have taken long.
      if mustCheckLink(step, images) { try await checkLink(step, progress, &images) }
    }
    progress.calls += 1
    let result = await call(step.change, account: uids.first.flatMap { images.images[$0] })
    guard case .failed(let failure) = result else { return result }
    return .failed(failure.hiding(RowSecrets(step.row.row)))
  }

  /// Whether the account of a link has to be looked up again, or has another identity.
  private func mustCheckLink(_ step: RowStep, _ images: RowImages) -> Bool {
    guard step.change.linkedProvider != nil, let uid = step.uids.first else { return false }
    return isStale(step.uids, images) || step.change.replacedProvider(of: images.images[uid]) != nil
  }

  /// Refuses to link an identity where the account has got another one, which the backend would replace.
  private func checkLink(
    _ step: RowStep, _ progress: StepProgress, _ images: inout RowImages
  ) async throws(StepStop) {
    guard let uid = step.change.uid else { return }
    do throws(StepStop) {
      try await refresh(&images, [uid])
      guard let provider = step.change.replacedProvider(of: images.images[uid]) else { return }
      throw .fault(PlanFaults.occupied(provider, of: uid))
    } catch .fault(let fault) where progress.intent != nil {
      throw settleFailure(step, progress, fault)
    }
  }

  /// Decides whether a failed call is retried, fails the row, or ends the run.
  private func take(
    _ failure: CallFailure, _ step: RowStep, _ progress: inout StepProgress
  ) async throws(StepStop) {
    if failure.isOutcomeUnknown {
      progress.isInDoubt = true
      progress.wasInDoubt = true
    }
    switch failure.kind {
    case .run:
      fail(failure.problem)
      throw .ended
    case .row:
      guard progress.wasInDoubt else {
        throw settleFailure(step, progress, failure.fault)
      }
      // An earlier try may have taken effect after all, and this one failed because of it.
      progress.isInDoubt = true
      progress.last = failure
    case .throttled, .retryable:
      if case .throttled = failure.kind, changed > progress.changed {
        // Other calls succeed, so this one will too: start counting tries again.
        progress.tries = Tries(most: settings.tries)
      }
      progress.changed = changed
      guard var wait = progress.tries.next(chance: gate.chance()) else {
        progress.last = failure
        return
      }
      // A call whose connection broke may still take effect; wait before checking.
      if failure.isOutcomeUnknown {
        wait = max(wait, failure.duration >= .seconds(5) ? settings.settleTime : Self.shortest)
      }
      if case .throttled = failure.kind, !failure.isOutcomeUnknown {
        // Otherwise the rate limiter pauses all calls.
        guard let own = failure.ownWait else { return }
        wait = own
      }
      guard await gate.rest(for: wait) else { throw .ended }
    }
  }

  private static var shortest: Duration { .milliseconds(50) }

  // MARK: Outcomes

  private func settle(
    _ step: RowStep, _ result: StepOutcome.Result, _ progress: inout StepProgress
  ) {
    let outcome = outcome(step, result, progress)
    progress.outcome = outcome
    note(step, outcome, end: step.isLast ? .done : nil)
  }

  /// Records a failed step, and also the end of its row unless earlier steps have to be taken back.
  private func settleFailure(
    _ step: RowStep, _ progress: StepProgress, _ fault: RowFailure
  ) -> StepStop {
    var outcome = outcome(step, .failed, progress)
    outcome.fault = fault
    if step.takesOthersBack && !fault.leavesSteps || step.number < 0 {
      note(step, outcome, end: nil)
      return .refused(step: step.number, fault)
    }
    note(step, outcome, end: .failed)
    return .over(RowEnd(state: .failed, fault: fault))
  }

  private func note(_ step: RowStep, _ outcome: StepOutcome, end: RowState?) {
    journal.settle(batch, outcome, row: outcome.row, end: end, fault: outcome.fault)
    if step.hasFailed { forgot([.failed]) }
    ended(step.row, step.kind, step.change.uid, outcome)
  }

  private func outcome(
    _ step: RowStep, _ result: StepOutcome.Result, _ progress: StepProgress
  ) -> StepOutcome {
    let (seconds, attoseconds) = progress.took.components
    return StepOutcome(
      row: step.row.row.number, step: step.number, result: result, at: Timestamp.now,
      microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000,
      attempts: progress.calls)
  }
}

extension Change {
  /// Whether the change is sent in one call with others of its kind.
  var goesTogether: Bool {
    switch self {
    case .create, .delete: true
    default: false
    }
  }
}
