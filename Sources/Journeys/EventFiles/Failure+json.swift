import System

extension Failure {
  var json: JSON {
    var members = EventMembers()
    members.set("kind", kind.rawValue)
    members.set("message", message)
    members.set("code", code)
    members.set("hint", hint)
    members.set("file", file)
    members.set("line", line)
    members.set("source", source)
    members.set("expression", expression)
    members.set("expected", expected)
    members.set("actual", actual)
    members.set("diff", diff)
    members.set("steps", steps)
    members.set("traceback", traceback)
    members.set("exchanges", JSON.array(exchanges.map { .integer(Int64($0)) }))
    return .object(members.object)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      kind: try fields.choice("kind"), message: try fields.string("message"),
      code: try fields.optionalString("code"), hint: try fields.optionalString("hint"),
      file: try fields.optionalString("file"), line: try fields.optionalInteger("line"),
      source: try fields.optionalString("source"),
      expression: try fields.optionalString("expression"),
      expected: try fields.optionalString("expected"),
      actual: try fields.optionalString("actual"), diff: try fields.strings("diff"),
      steps: try fields.strings("steps"), traceback: try fields.strings("traceback"),
      exchanges: try fields.integers("exchanges"))
  }

  static func list(_ fields: EventFields) throws(EventProblem) -> [Failure] {
    try fields.list("failures") { (json) throws(EventProblem) in
      try Failure(try EventFields(json, "failures"))
    }
  }
}
