import System

extension ExchangeEvent {
  func write(to members: inout EventMembers) {
    members.set("exchange", exchange)
    members.set("from", from.rawValue)
    members.set("to", to.rawValue)
    members.set("operation", operation)
    members.set("method", method)
    members.set("url", url)
    members.set("status", status)
    members.set("error", error)
    members.set("protocol", protocolName)
    members.set(milliseconds: "duration", duration)
    members.set("timings", timings.json)
    members.set("request", request.json)
    members.set("response", response?.json)
    members.set("tokens", JSON.array(tokens.map(\.json)))
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      exchange: try fields.integer("exchange"), from: try fields.choice("from"),
      to: try fields.choice("to"), operation: try fields.stringIfAny("operation"),
      method: try fields.string("method"), url: try fields.string("url"),
      status: try fields.integerIfAny("status"), error: try fields.stringIfAny("error"),
      protocolName: try fields.stringIfAny("protocol"),
      duration: try fields.number("duration"), timings: try Timings(fields.reader("timings")),
      request: try Message(fields.reader("request")),
      response: try Message(optional: fields.readerIfAny("response")),
      tokens: try fields.readers("tokens").map(Token.init))
  }
}

extension ExchangeEvent.Timings {
  fileprivate var json: JSON {
    var members = EventMembers()
    members.set(milliseconds: "blocked", blocked)
    members.set(milliseconds: "dns", dns)
    members.set(milliseconds: "connect", connect)
    members.set(milliseconds: "tls", tls)
    members.set(milliseconds: "send", send)
    members.set(milliseconds: "wait", wait)
    members.set(milliseconds: "receive", receive)
    return .object(members.object)
  }

  fileprivate init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      blocked: try fields.numberIfAny("blocked"), dns: try fields.numberIfAny("dns"),
      connect: try fields.numberIfAny("connect"), tls: try fields.numberIfAny("tls"),
      send: try fields.number("send"), wait: try fields.number("wait"),
      receive: try fields.number("receive"))
  }
}

extension ExchangeEvent.Message {
  fileprivate var json: JSON {
    var members = EventMembers()
    members.set(
      "headers", JSON.array(headers.map { .array([.string($0.name), .string($0.value)]) }))
    members.set("body", body?.json)
    return .object(members.object)
  }

  fileprivate init(_ fields: EventFields) throws(EventProblem) {
    let headers = try fields.listIfAny("headers", of: .array) { json in
      guard json.array?.count == 2, let name = json[0]?.string, let value = json[1]?.string else {
        return nil as (name: String, value: String)?
      }
      return (name, value)
    }
    self.init(
      headers: headers ?? [], body: try ExchangeEvent.Body(optional: fields.readerIfAny("body")))
  }

  fileprivate init?(optional fields: EventFields?) throws(EventProblem) {
    guard let fields else { return nil }
    try self.init(fields)
  }
}

extension ExchangeEvent.Body {
  fileprivate var json: JSON {
    var members = EventMembers()
    members.set("mimeType", mimeType)
    members.set("size", size)
    members.set("text", text)
    members.set("truncated", isTruncated)
    return .object(members.object)
  }

  fileprivate init?(optional fields: EventFields?) throws(EventProblem) {
    guard let fields else { return nil }
    self.init(
      mimeType: try fields.string("mimeType"), size: try fields.integer("size"),
      text: try fields.stringIfAny("text"), isTruncated: try fields.bool("truncated"))
  }
}

extension ExchangeEvent.Token {
  fileprivate var json: JSON {
    var members: JSONObject = ["kind": .string(kind), "header": header, "claims": claims]
    if isInAnswer { members["answer"] = true }
    return .object(members)
  }

  fileprivate init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      kind: try fields.string("kind"), header: fields.value("header") ?? .null,
      claims: fields.value("claims") ?? .null,
      isInAnswer: try fields.boolIfAny("answer") ?? false)
  }
}
