internal import System
internal import HTTP

/// An exchange with its secrets replaced, for users and tools.
struct VisibleExchange {
  let number: Int
  /// Milliseconds since 1970.
  let time: Int64
  let nanoseconds: Int64
  let method: String
  /// The path, with secret query parameters replaced.
  let path: String
  let names: ExchangeNames
  let status: Int
  /// `administrator`, `client`, or `page` for the dashboard.
  let caller: String
  let summary: String
  /// The affected account, if any.
  let uid: String?
  let request: ShownBody
  let response: ShownBody
  let tokens: [DecodedToken]

  init(_ exchange: LoggedExchange, mainProject: String) {
    let request = exchange.request
    number = exchange.number
    time = exchange.time
    nanoseconds = exchange.nanoseconds
    method = request.method
    path = Self.path(of: request.url)
    status = exchange.response.status
    let isForm =
      request.headers["Content-Type"]?.asciiLowercased.hasPrefix(
        "application/x-www-form-urlencoded") == true
    let asked = Self.body(request.body, isForm: isForm)
    let answered = Self.body(exchange.response.body, isForm: false)
    names = ExchangeNames(request, body: asked, mainProject: mainProject)
    switch exchange.caller {
    case .page: caller = "page"
    case .network:
      // Apps authenticate to identity providers with the same header.
      let isToken = request.headers["Authorization"]?.asciiLowercased.hasPrefix("bearer ") == true
      caller = isToken && names.isAPI ? "administrator" : "client"
    }
    // A message of one half may repeat secrets of the other.
    var mask = Mask()
    if let asked { mask.learn(from: asked) }
    if let answered { mask.learn(from: answered) }
    mask.learn(from: Self.parameters(of: request.url))
    let shownRequest = asked.map { mask.cover($0) }
    let shownResponse = answered.map { mask.cover($0) }
    self.request = ShownBody(shownRequest, size: exchange.requestSize)
    self.response = ShownBody(shownResponse, size: exchange.responseSize)
    tokens =
      (asked.map(DecodedToken.all) ?? []) + (answered.map(DecodedToken.all) ?? [])
    let story = ExchangeStory(
      names: names, method: request.method, status: status, request: shownRequest,
      response: shownResponse, isAdmin: caller != "client")
    summary = story.text
    uid = story.uid
  }

  var isRefusal: Bool { status >= 400 }

  var json: JSON {
    var object: JSONObject = [
      "number": .integer(Int64(number)), "time": .string(Timestamp.text(milliseconds: time)),
      "milliseconds": .number(Double(nanoseconds / 1000) / 1000), "method": .string(method),
      "path": .string(path), "operation": .string(names.operation),
      "status": .integer(Int64(status)), "caller": .string(caller), "summary": .string(summary),
    ]
    object.set("project", names.project)
    object.set("tenant", names.tenant)
    object.set("localId", uid)
    object["request"] = request.json
    object["response"] = response.json
    if !tokens.isEmpty { object["tokens"] = .array(tokens.map(\.json)) }
    return .object(object)
  }

  // MARK: Reading

  private static func body(_ bytes: [UInt8], isForm: Bool) -> JSON? {
    guard !bytes.isEmpty else { return nil }
    if isForm { return object(FormFields(parsing: String(decoding: bytes, as: UTF8.self))) }
    return try? JSON.parse(bytes)
  }

  private static func parameters(of url: WebURL) -> JSON { object(url.fields) }

  private static func object(_ form: FormFields) -> JSON {
    var object = JSONObject()
    for pair in form.pairs { object[pair.name] = .string(pair.value) }
    return .object(object)
  }

  private static func path(of url: WebURL) -> String {
    let path = Mask.withoutTokens(url.path)
    guard url.query != nil else { return path }
    var mask = Mask()
    var shown: [String] = []
    for (name, value) in mask.cover(parameters(of: url)).object?.entries ?? [] {
      shown.append("\(PercentEncoding.encode(name))=\(value.string ?? "")")
    }
    return "\(path)?\(shown.joined(separator: "&"))"
  }
}

/// A body with its secrets replaced, or the reason why it is not shown.
struct ShownBody {
  let value: JSON?
  let size: Int

  init(_ value: JSON?, size: Int) {
    self.value = value
    self.size = size
  }

  /// The text shown instead of a body.
  var note: String? {
    if value != nil { return nil }
    return size == 0 ? "empty" : "\(size) bytes that are no JSON, or too long to be kept"
  }

  var json: JSON { value ?? note.map { .string("(\($0))") } ?? .null }
}
