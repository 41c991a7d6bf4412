import System

extension JourneyStart {
  func write(to members: inout EventMembers) {
    members.set("worker", worker)
    members.set("file", file)
    members.set("line", line)
    members.set("name", name)
    members.set("tags", tags)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      worker: try fields.integer("worker"), file: try fields.string("file"),
      line: try fields.integer("line"), name: try fields.strings("name"),
      tags: try fields.strings("tags"))
  }
}

extension JourneyEnd {
  func write(to members: inout EventMembers) {
    members.set("status", status.rawValue)
    members.set(milliseconds: "duration", duration)
    members.set("failures", failures)
    members.set("willRetry", willRetry)
    members.set("reason", reason)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      status: try fields.choice("status"), duration: try fields.number("duration"),
      failures: try Failure.list(fields), willRetry: try fields.bool("willRetry"),
      reason: try fields.optionalString("reason"))
  }
}

extension JourneyResult {
  func write(to members: inout EventMembers) {
    members.set("outcome", outcome.rawValue)
    members.set("attempts", attempts)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(outcome: try fields.choice("outcome"), attempts: try fields.integer("attempts"))
  }
}

extension StepStart {
  func write(to members: inout EventMembers) {
    members.set("parent", parent)
    members.set("name", name)
    members.set("where", source)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      parent: try fields.optionalInteger("parent"), name: try fields.string("name"),
      source: try fields.optionalString("where"))
  }
}

extension StepEnd {
  func write(to members: inout EventMembers) {
    members.set("status", status.rawValue)
    members.set(milliseconds: "duration", duration)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(status: try fields.choice("status"), duration: try fields.number("duration"))
  }
}

extension AssertEvent {
  func write(to members: inout EventMembers) {
    members.set("soft", isSoft)
    members.set("failure", failure.json)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      isSoft: try fields.bool("soft"), failure: try Failure(try fields.fields("failure")))
  }
}

extension LogEvent {
  func write(to members: inout EventMembers) {
    members.set("level", level.rawValue)
    members.set("text", text)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(level: try fields.choice("level"), text: try fields.string("text"))
  }
}

extension PageEvent {
  func write(to members: inout EventMembers) {
    members.set("from", from.rawValue)
    members.set("to", to.rawValue)
    members.set("action", action)
    members.set("detail", detail)
    members.set("provider", provider)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      from: try fields.choice("from"), to: try fields.choice("to"),
      action: try fields.string("action"), detail: try fields.string("detail"),
      provider: try fields.optionalString("provider"))
  }
}
