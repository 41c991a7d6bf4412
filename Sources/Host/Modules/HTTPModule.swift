import System
import HTTP
import Lua

enum HTTPModule {
  private static func options() -> LuaParameter {
    LuaParameter(
      "options",
      .options([
        LuaParameter("headers", .map(.string), optional: true, "header fields by name"),
        LuaParameter("bearer", .secret, optional: true, "an access token for Authorization"),
        LuaParameter("query", .map(.string), optional: true, "parameters added to the address"),
        LuaParameter("form", .map(.string), optional: true, "a body of form fields"),
        LuaParameter("json", .any, optional: true, "a body of JSON"),
        LuaParameter("body", .bytes, optional: true, "a body of bytes"),
        LuaParameter("timeout", .number, optional: true, "seconds for the whole exchange; 30"),
        LuaParameter("redirects", .integer, optional: true, "how many to follow; 0"),
        LuaParameter(
          "redirectBody", .boolean, optional: true,
          "whether a redirect may send the body to another origin; false"),
        LuaParameter("limit", .integer, optional: true, "limit of the response in bytes; 32 MiB"),
      ]), optional: true)
  }

  static func make(_ interpreter: Interpreter) -> Module {
    let methods = responseMembers(interpreter)
    var http = Declarations(interpreter, owner: "http")
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] {
      http.wait(
        method.lowercased(),
        "Sends a \(method) request; a status of 400 or above is no error.",
        [LuaParameter("url", .string), options()], returns: "HTTPResponse"
      ) { [unowned interpreter] (call) throws(LuaError) -> Wait in
        try exchange(call, method: method, url: 1, options: 2, interpreter)
      }
    }
    http.wait(
      "request", "Sends a request with any method.",
      [LuaParameter("method", .string), LuaParameter("url", .string), options()],
      returns: "HTTPResponse"
    ) { [unowned interpreter] (call) throws(LuaError) -> Wait in
      let method = call.string(1) ?? ""
      guard !method.isEmpty, method.utf8.allSatisfy({ $0.isTokenCharacter }) else {
        throw .message("bad argument #1 to 'request' (a method such as GET or PURGE)")
      }
      return try exchange(call, method: method, url: 2, options: 3, interpreter)
    }
    http.add(
      "form", "Writes form fields (application/x-www-form-urlencoded), names in order.",
      [LuaParameter("fields", .map(.string))], returns: "string"
    ) { call in
      call.push(FormFields(call.stringPairs(1)).encoded)
      return .results(1)
    }
    http.add(
      "parseForm", "Reads form fields or a query, also of a whole address.",
      [LuaParameter("text", .string)], returns: "a table of strings by name"
    ) { call in
      var text = call.string(1) ?? ""
      if let url = WebURL(text) {
        text = [url.query, url.fragment].compactMap { $0 }.joined(separator: "&")
      }
      let fields = FormFields(parsing: text)
      call.push(.record(fields.pairs.reversed().map { ($0.name, .string($0.value)) }))
      return .results(1)
    }
    return Module(
      "luath.http",
      "The script's HTTP requests; an emulator target also stands in for the providers.",
      http.list, classes: [(interpreter.classes.response, methods)])
  }

  private static func responseMembers(_ interpreter: Interpreter) -> [Declaration] {
    let responseClass = interpreter.classes.response
    var methods = Declarations(interpreter, owner: "response", type: responseClass)
    methods.add("json", "The body as JSON.", returns: "a value") {
      [unowned interpreter] call throws(LuaError) in
      guard let response = call.object(1, as: Answered.self)?.response else { return .results(0) }
      do throws(JSONError) {
        JSONBridge.push(try response.json(), on: call, interpreter)
      } catch {
        let type = response.headers["Content-Type"] ?? "no content type"
        throw .object([
          ("code", .string("invalidJSON")),
          (
            "message", .string("the response of \(response.url.host) is not JSON: \(error.message)")
          ),
          (
            "hint",
            .string("it has status \(response.status) and \(type.printable); look at response.body")
          ),
        ])
      }
      return .results(1)
    }
    methods.add(
      "header", "A header field, in any case.", [LuaParameter("name", .string)],
      returns: "string or nil"
    ) { call in
      let response = call.object(1, as: Answered.self)?.response
      call.push(.string(ifAny: response?.headers[call.string(2) ?? ""]))
      return .results(1)
    }
    responseClass.methods = methods.members
    responseClass.properties = [
      property("status", .integer, "The status code.") { .integer(Int64($0.status)) },
      property("ok", .boolean, "Whether the status is 200 to 299.") {
        .boolean((200...299).contains($0.status))
      },
      property("body", .bytes, "The bytes of the body.") { .bytes($0.body) },
      property("url", .string, "The address of the response.") { .string($0.url.description) },
      property("headers", .map(.string), "Header fields by lower-case name.") { response in
        .record(response.headers.fields.map { ($0.name.lowercased(), .string($0.value)) })
      },
    ]
    responseClass.describe = { "HTTPResponse(\(($0 as? Answered)?.response.status ?? 0))" }
    return methods.list
  }

  private static func property(
    _ name: String, _ kind: LuaParameter.Kind, _ summary: String,
    _ read: @escaping (HTTPResponse) -> LuaValue
  ) -> LuaClass.Property {
    .computed(name, kind, summary) { call in
      call.push(call.object(1, as: Answered.self).map { read($0.response) } ?? .nil)
      return .results(1)
    }
  }

  private static func exchange(
    _ call: LuaCall, method: String, url: Int, options: Int, _ interpreter: Interpreter
  ) throws(LuaError) -> Wait {
    let transport = interpreter.transport
    var request = try RequestReader(call, options, transport).request(
      method, call.string(url) ?? "")
    if request.maximumRedirects > 0 {
      request.privateHeaders = Set(
        request.headers.fields.filter { interpreter.holdsSecret($0.value) }
          .map { $0.name.lowercased() })
    }
    let responseClass = interpreter.classes.response
    guard request.maximumRedirects > 0 || transport.mustAsk(about: request) else {
      return .event { done in
        transport.begin(request) { done(results(of: $0, responseClass)) }
      }
    }
    return .effect { () async throws(LuaError) in
      let result: Result<HTTPResponse, HTTPError>
      do throws(HTTPError) {
        result = .success(try await transport.send(request))
      } catch {
        result = .failure(error)
      }
      return try results(of: result, responseClass).get()
    }
  }

  private static func results(
    of result: Result<HTTPResponse, HTTPError>, _ responseClass: LuaClass
  ) -> Result<[LuaValue], LuaError> {
    switch result {
    case .success(let response): .success([.object(responseClass, Answered(response))])
    case .failure(let error):
      .failure(
        .object([
          ("code", .string(error.code.rawValue)), ("message", .string(error.message)),
          ("hint", .string(error.hint)),
        ]))
    }
  }
}

/// Holds a response, as Lua objects must be class instances.
private final class Answered {
  let response: HTTPResponse
  init(_ response: HTTPResponse) { self.response = response }
}

private struct RequestReader {
  let call: LuaCall
  let options: Int
  let transport: ScriptTransport

  init(_ call: LuaCall, _ options: Int, _ transport: ScriptTransport) {
    self.call = call
    self.options = options
    self.transport = transport
  }

  func request(_ method: String, _ address: String) throws(LuaError) -> HTTPRequest {
    guard var url = transport.address(address) else {
      throw .message("the address is not an http or https URL; write the full URL, with its host")
    }
    guard call.isTable(options) else { return HTTPRequest(method: method, url: url) }
    let added = pairs("query")
    if !added.isEmpty {
      var fields = url.fields
      for (name, value) in added { fields.append(name, value) }
      url = url.with(fields: fields)
    }
    var request = HTTPRequest(method: method, url: url)
    for (name, value) in pairs("headers") {
      guard name.utf8.allSatisfy({ $0.isTokenCharacter }), !name.isEmpty,
        value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
      else { throw .message("the header '\(name.printable)' has characters that HTTP forbids") }
      request.headers.set(name, value)
    }
    if let token = call.field(options, "bearer", { $0.string($1) }) {
      guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !token.isEmpty else {
        throw .message("option 'bearer': an access token is printable ASCII without blanks")
      }
      request.headers.set("Authorization", "Bearer \(token)")
    }
    try body(&request)
    try limits(&request)
    return request
  }

  private func body(_ request: inout HTTPRequest) throws(LuaError) {
    let given = ["form", "json", "body"].filter { name in
      !call.field(options, name) { $0.isNil($1) }
    }
    guard given.count < 2 else {
      throw .message("options '\(given[0])' and '\(given[1])' both give a body; keep one")
    }
    func type(_ name: String) {
      if request.headers["Content-Type"] == nil { request.headers.set("Content-Type", name) }
    }
    switch given.first {
    case "form":
      type("application/x-www-form-urlencoded")
      request.body = Array(FormFields(pairs("form")).encoded.utf8)
    case "json":
      type("application/json")
      request.body = try call.field(options, "json") { (call, at) -> Result<JSON, LuaError> in
        do throws(LuaError) { return .success(try JSONBridge.read(call, at)) } catch {
          return .failure(error)
        }
      }.get().encodedBytes()
    case "body": request.body = call.field(options, "body") { $0.bytes($1) } ?? []
    default: break
    }
  }

  private func limits(_ request: inout HTTPRequest) throws(LuaError) {
    if let seconds = call.field(options, "timeout", { $0.number($1) }) {
      guard seconds > 0, seconds <= 86_400 else {
        throw .message("option 'timeout': more than 0 and at most 86400 seconds")
      }
      request.timeout = .microseconds(Int64(seconds * 1e6))
    }
    if let count = call.field(options, "redirects", { $0.integer($1) }) {
      guard (0...50).contains(count) else { throw .message("option 'redirects': between 0 and 50") }
      request.maximumRedirects = Int(count)
    }
    request.repeatsBodyElsewhere = call.field(options, "redirectBody") { $0.boolean($1) }
    if let bytes = call.field(options, "limit", { $0.integer($1) }) {
      guard (1...(1 << 30)).contains(bytes) else {
        throw .message("option 'limit': between 1 byte and 1 GiB")
      }
      request.maximumResponseBytes = Int(bytes)
    }
  }

  private func pairs(_ name: String) -> [(String, String)] {
    call.field(options, name) { $0.stringPairs($1) }
  }
}

extension UInt8 {
  /// Whether HTTP allows the byte in a method or a header name (RFC 9110 section 5.6.2).
  fileprivate var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
