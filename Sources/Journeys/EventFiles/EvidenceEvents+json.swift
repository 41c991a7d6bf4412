import System

extension AttachmentEvent {
  func write(to members: inout EventMembers) {
    members.set("name", name)
    members.set("type", type)
    members.set("size", size)
    switch content {
    case .text(let text): members.set("text", text)
    case .bytes(let bytes): members.set("data", Base64.encode(bytes))
    case .leftOut: break
    }
    members.set("note", note)
    if isFailure { members.set("failure", true) }
    members.set("url", url)
    members.set("title", title)
    members.set("file", file)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    let content: Content
    if let text = try fields.stringIfAny("text") {
      content = .text(text)
    } else if let data = try fields.stringIfAny("data") {
      guard let bytes = Base64.decode(data) else {
        throw EventProblem(message: "'data' is not base64")
      }
      content = .bytes(bytes)
    } else {
      content = .leftOut
    }
    self.init(
      name: try fields.string("name"), type: try fields.string("type"),
      size: try fields.integer("size"), content: content, note: try fields.stringIfAny("note"),
      isFailure: try fields.boolIfAny("failure") ?? false, url: try fields.stringIfAny("url"),
      title: try fields.stringIfAny("title"), file: try fields.stringIfAny("file"))
  }
}

extension ConsoleEvent {
  func write(to members: inout EventMembers) {
    members.set("level", level)
    members.set("source", source)
    members.set("text", text)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      level: try fields.string("level"), source: try fields.string("source"),
      text: try fields.string("text"))
  }
}

extension PageRequestEvent {
  func write(to members: inout EventMembers) {
    members.set("method", method)
    members.set("url", url)
    members.set("type", type)
    members.set("status", status)
    members.set("error", error)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      method: try fields.string("method"), url: try fields.string("url"),
      type: try fields.string("type"), status: try fields.integerIfAny("status"),
      error: try fields.stringIfAny("error"))
  }
}
