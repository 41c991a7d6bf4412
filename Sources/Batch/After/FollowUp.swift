public import Encoding

/// An operation that follows from what a run did; no script can ask for one.
public enum FollowUp: Sendable {
  /// Takes the steps of a row back, of which the last one comes first; `row` is its number in the input.
  case undo(row: Int64, steps: [UndoneStep])
  /// Deletes an account that was merged into another one, if both still are as the merge left them; `gains` are
  /// the calls that gave the survivor what the loser had.
  case finalize(survivor: String, loser: String, gains: [Change])
}

/// A step that is to be taken back.
public struct UndoneStep: Sendable {
  /// The call that was made.
  public var change: Change
  /// The whole account before it; nil when there was none.
  public var before: JSON?
  /// Whether nobody knows if the call was carried out.
  public var isInDoubt: Bool

  /// Describes a step.
  public init(change: Change, before: JSON?, isInDoubt: Bool = false) {
    self.change = change
    self.before = before
    self.isInDoubt = isInDoubt
  }
}

extension FollowUp {
  /// What its kind is called in journals and events.
  public var kind: String {
    switch self {
    case .undo: "luath:undo"
    case .finalize: "luath:finalize"
    }
  }

  /// The names of all kinds.
  static let kinds = ["luath:undo", "luath:finalize"]

  /// The accounts it touches.
  var uids: [String] {
    switch self {
    case .undo(_, let steps):
      var seen: Set<ExactString> = []
      return steps.compactMap(\.change.uid).filter { seen.insert(ExactString($0)).inserted }
    case .finalize(let survivor, let loser, _): return [survivor, loser]
    }
  }

  /// The calls that carry it out, from the accounts as they were before the first of them.
  ///
  /// - Throws: Why nothing is done; `changedSince` when somebody has changed an account after the run.
  func changes(for accounts: AccountImages) throws(RowFault) -> [Change] {
    switch self {
    case .undo(_, let steps): return try Self.undoing(steps, accounts).changes
    case .finalize(let survivor, let loser, let gains):
      guard let account = accounts[loser] else { return [.delete(uid: loser)] }
      // The loser would be the last that is left of the person, or of their way to sign in.
      guard let kept = accounts[survivor] else {
        throw RowFault("changedSince", "\(survivor) is gone, so \(loser) is kept")
      }
      if let lost = gains.first(where: { !$0.isDone(in: kept) }) {
        throw RowFault(
          "changedSince",
          "\(survivor) no longer has what it got from \(loser) (\(lost.missing(in: kept, since: nil))), "
            + "which is kept")
      }
      let image = AccountImage(account)
      let target = image.claims[Operation.mergedInto]?.string
      guard let target, ExactString(target) == ExactString(survivor) else {
        throw RowFault(
          "changedSince",
          "\(loser) no longer has the claim that it was merged into \(survivor), so it is kept")
      }
      guard image.flag("disabled") else {
        throw RowFault("changedSince", "\(loser) was enabled after the merge, so it is kept")
      }
      return [.delete(uid: loser)]
    }
  }

  /// What takes the steps back, and what stays.
  static func undoing(
    _ steps: [UndoneStep], _ accounts: AccountImages
  ) throws(RowFault) -> InverseOfChange {
    var undo = InverseOfChange()
    // A later step of the row may have set anew what an earlier one did.
    var superseded: [ExactString: Set<String>] = [:]
    for step in steps {
      guard let uid = step.change.uid, step.change.isVisible else {
        undo.add(step.change.inverse(before: step.before, after: nil))
        continue
      }
      let now = accounts[uid]
      let later = superseded[ExactString(uid)] ?? []
      let rest = step.change.leavingOut { later.contains($0) }
      if let rest, rest.hasChangedSince(before: step.before, now: now) {
        if step.isInDoubt { continue }
        throw RowFault(
          "changedSince",
          now == nil
            ? "\(uid) is gone, so that nothing of it was undone"
            : "\(uid) was changed after the run (\(rest.missing(in: now, since: step.before))), so that "
              + "nothing of the row was undone")
      }
      superseded[ExactString(uid), default: []].formUnion(step.change.facets)
      undo.add(step.change.inverse(before: step.before, after: now))
    }
    if undo.changes.isEmpty, !undo.lost.isEmpty {
      throw RowFault("notRestorable", undo.lost.joined(separator: "; "))
    }
    return undo
  }
}

extension Operation {
  /// Whether a change takes back a step of the script's own that nobody knows the end of.
  func doubts(_ change: Change) -> Bool {
    guard case .followUp(.undo(_, let steps)) = self, case .custom(let name, let uid, _) = change
    else {
      return false
    }
    return steps.contains { step in
      guard step.isInDoubt, case .custom(let done, let other, _) = step.change else { return false }
      return Change.undone(name) == done && uid == other
    }
  }
}

extension InverseOfChange {
  fileprivate mutating func add(_ other: InverseOfChange) {
    changes += other.changes
    for reason in other.lost where !lost.contains(reason) { lost.append(reason) }
  }
}

extension Change {
  /// Whether an account shows that it was carried out.
  var isVisible: Bool {
    if case .custom = self { false } else { true }
  }

  /// The names of the parts that are not as the change left them.
  func missing(in account: JSON?, since before: JSON?) -> String {
    let names = singleFacets.filter { !$0.change.isDone(in: account, since: before) }.map(\.name)
    return names.isEmpty ? "it was used" : names.joined(separator: ", ")
  }

  /// What the script's own operations are called when they are taken back.
  private static let undoPrefix = "undo "

  /// The operation that a name says is taken back; nil when it says that one is carried out.
  static func undone(_ name: String) -> String? {
    name.hasPrefix(undoPrefix) ? String(name.dropFirst(undoPrefix.count)) : nil
  }

  /// What takes back an operation of a script: another name, which `ScriptOperations` knows.
  static func undoing(custom name: String, uid: String?, arguments: JSON) -> Change {
    .custom(name: undone(name) ?? undoPrefix + name, uid: uid, arguments: arguments)
  }
}
