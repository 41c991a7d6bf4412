import System

extension FollowUp {
  /// Reads a follow-up from a journal; an invalid record throws an error with the code `invalidRecord`.
  init(json: JSON, kind: String) throws(RowFailure) {
    let members = json.object ?? [:]
    do throws(RowFailure) {
      if kind == "luath:finalize" {
        let reader = try MemberReader(
          members, of: kind, names: ["op", "survivor", "loser", "gains"])
        var gains: [Change] = []
        for item in reader.value("gains")?.array ?? [] { gains.append(try Change(json: item)) }
        self = .finalize(
          survivor: try reader.text("survivor"), loser: try reader.text("loser"), gains: gains)
      } else {
        let reader = try MemberReader(members, of: kind, names: ["op", "row", "steps"])
        var steps: [UndoneStep] = []
        for item in reader.value("steps")?.array ?? [] { steps.append(try UndoneStep(json: item)) }
        self = .undo(row: try reader.whole("row"), steps: steps)
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
      json.object ?? [:], of: "a step", names: ["change", "before", "isInDoubt"])
    self.init(
      change: try Change(json: reader.value("change") ?? .null), before: reader.value("before"),
      isInDoubt: try reader.flagIfAny("isInDoubt") ?? false)
  }

  var json: JSON {
    var object: JSONObject = ["change": change.json]
    object["before"] = before
    if isInDoubt { object["isInDoubt"] = true }
    return .object(object)
  }
}
