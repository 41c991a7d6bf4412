import System

/// An operation that follows from an earlier run; no script can request it.
enum FollowUp: Sendable {
  /// Undoes the steps of a row, given last step first; `row` is its number in the input.
  case undo(row: Int64, steps: [UndoneStep])
  /// Deletes an account that was merged into another, if both are still as the merge left them.
  ///
  /// `gains` are the changes that moved the loser's identities to the survivor.
  case finalize(survivor: String, loser: String, gains: [Change])
}

/// A step to undo.
struct UndoneStep: Sendable {
  /// The change that the step made.
  var change: Change
  /// The whole account before the change; nil when there was none.
  var before: JSON?
  /// Whether the outcome of the call is unknown.
  var isInDoubt: Bool = false
}

extension FollowUp {
  /// The name of the operation in journals and events.
  var kind: String {
    switch self {
    case .undo: "luath:undo"
    case .finalize: "luath:finalize"
    }
  }

  static let kinds = ["luath:undo", "luath:finalize"]

  /// The accounts it changes.
  var uids: [String] {
    switch self {
    case .undo(_, let steps):
      var seen: Set<ExactString> = []
      return steps.compactMap(\.change.uid).filter { seen.insert(ExactString($0)).inserted }
    case .finalize(let survivor, let loser, _): return [survivor, loser]
    }
  }

  /// The changes that carry it out, computed from the accounts before the first of them.
  ///
  /// - Throws: Why nothing is done; `changedSince` when an account was changed after the run.
  func changes(for accounts: AccountImages) throws(RowFailure) -> [Change] {
    switch self {
    case .undo(_, let steps): return try Self.undoing(steps, accounts).changes
    case .finalize(let survivor, let loser, let gains):
      guard let account = accounts[loser] else { return [.delete(uid: loser)] }
      // Keep the loser if the survivor is gone or lost what it gained: it may be all that the user has left.
      guard let kept = accounts[survivor] else {
        throw RowFailure("changedSince", "\(survivor) is gone, so \(loser) is kept")
      }
      if let lost = gains.first(where: { !$0.isDone(in: kept) }) {
        throw RowFailure(
          "changedSince",
          "\(survivor) no longer has what it got from \(loser) (\(lost.missing(in: kept, since: nil))), "
            + "which is kept")
      }
      let image = AccountImage(account)
      let target = image.claims[Operation.mergedInto]?.string
      guard let target, ExactString(target) == ExactString(survivor) else {
        throw RowFailure(
          "changedSince",
          "\(loser) no longer has the claim that it was merged into \(survivor), so it is kept")
      }
      guard image.flag("disabled") else {
        throw RowFailure("changedSince", "\(loser) was enabled after the merge, so it is kept")
      }
      return [.delete(uid: loser)]
    }
  }

  /// The changes that undo the steps, and what cannot be undone.
  static func undoing(
    _ steps: [UndoneStep], _ accounts: AccountImages
  ) throws(RowFailure) -> InverseOfChange {
    var undo = InverseOfChange()
    // The parts that later steps of the row set again, by account.
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
        throw RowFailure(
          "changedSince",
          now == nil
            ? "\(uid) was deleted, so nothing of it was undone"
            : "\(uid) was changed after the run (\(rest.missing(in: now, since: step.before))), so that "
              + "nothing of the row was undone")
      }
      superseded[ExactString(uid), default: []].formUnion(step.change.facets)
      undo.add(step.change.inverse(before: step.before, after: now))
    }
    if undo.changes.isEmpty, !undo.lost.isEmpty {
      throw RowFailure("notRestorable", undo.lost.joined(separator: "; "))
    }
    return undo
  }
}

extension Operation {
  /// Whether a change undoes a custom operation whose outcome is unknown.
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
  /// Whether the account shows if the change is in effect; false for custom operations.
  var isVisible: Bool {
    if case .custom = self { false } else { true }
  }

  /// The names of the account parts that differ from what the change set.
  func missing(in account: JSON?, since before: JSON?) -> String {
    let names = singleFacets.filter { !$0.change.isDone(in: account, since: before) }.map(\.name)
    return names.isEmpty ? "it was used" : names.joined(separator: ", ")
  }

  /// The prefix of a custom operation's name when it is undone.
  private static let undoPrefix = "undo "

  /// The name of the operation that is undone; nil if the name is not that of an undo.
  static func undone(_ name: String) -> String? {
    name.hasPrefix(undoPrefix) ? String(name.dropFirst(undoPrefix.count)) : nil
  }

  /// The undo of a custom operation: the operation under another name, which `ScriptOperations` recognizes.
  static func undoing(custom name: String, uid: String?, arguments: JSON) -> Change {
    .custom(name: undone(name) ?? undoPrefix + name, uid: uid, arguments: arguments)
  }
}

extension FollowUp {
  /// Reads a follow-up from a journal; an invalid record throws an error with the code `invalidRecord`.
  init(json: JSON, kind: String) throws(RowFailure) {
    let members = json.object ?? [:]
    do throws(RowFailure) {
      if kind == "luath:finalize" {
        let reader = try MemberReader(
          members, at: [kind], names: ["op", "survivor", "loser", "gains"])
        var gains: [Change] = []
        for item in reader.value("gains")?.array ?? [] { gains.append(try Change(json: item)) }
        self = .finalize(
          survivor: try reader.text("survivor"), loser: try reader.text("loser"), gains: gains)
      } else {
        let reader = try MemberReader(members, at: [kind], names: ["op", "row", "steps"])
        var steps: [UndoneStep] = []
        for item in reader.value("steps")?.array ?? [] { steps.append(try UndoneStep(json: item)) }
        self = .undo(row: try reader.integer("row"), steps: steps)
      }
    } catch {
      throw RowFailure("invalidRecord", error.message)
    }
  }

  var json: JSON {
    switch self {
    case .undo(let row, let steps):
      ["op": .string(kind), "row": .integer(row), "steps": .array(steps.map(\.json))]
    case .finalize(let survivor, let loser, let gains):
      [
        "op": .string(kind), "survivor": .string(survivor), "loser": .string(loser),
        "gains": .array(gains.map(\.json)),
      ]
    }
  }
}

extension UndoneStep {
  init(json: JSON) throws(RowFailure) {
    let reader = try MemberReader(
      json.object ?? [:], at: ["a step"], names: ["change", "before", "isInDoubt"])
    self.init(
      change: try Change(json: reader.value("change") ?? .null), before: reader.value("before"),
      isInDoubt: try reader.boolIfAny("isInDoubt") ?? false)
  }

  var json: JSON {
    var object: JSONObject = ["change": change.json]
    object["before"] = before
    if isInDoubt { object["isInDoubt"] = true }
    return .object(object)
  }
}
