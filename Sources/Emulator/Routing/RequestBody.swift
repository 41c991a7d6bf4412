internal import System
internal import HTTP
internal import IdentityToolkit

/// Reads JSON and form bodies, with the error messages of Google's front ends.
enum RequestBody {
  static func json(
    of request: HTTPRequest, rules: Rules, takesForm: Bool = false
  ) throws(Refusal) -> JSON {
    let kind = request.headers["Content-Type"].map(mediaType) ?? ""
    if takesForm, kind == "application/x-www-form-urlencoded" {
      try refuseUnreadable(request, rules)
      return .object(members(of: request.form))
    }
    guard !request.body.isEmpty || request.bodyFault != nil else { return .object(JSONObject()) }
    guard kind == "application/json" else { throw wrongType(request) }
    return try document(in: try text(of: request, rules), rules)
  }

  private static func document(in text: [UInt8], _ rules: Rules) throws(Refusal) -> JSON {
    // A byte order mark is not part of the text (RFC 8259 section 8.1).
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = text.starts(with: mark) ? Array(text.dropFirst(3)) : text
    let json: JSON
    do throws(JSONError) {
      json = try rules[.protobufJSON] ? JSON.parse(text) : ScriptValue.parse(text)
    } catch {
      let ending = rules[.googleAnswers] ? expectation(at: error, in: text) : nil
      throw notJSON(
        ending.map { "Unexpected end of string. Expected \($0)\n\n^" } ?? error.description)
    }
    switch json {
    case .object, .array: return json
    default: throw notJSON("the body must be an object")
    }
  }

  /// What Google's JSON parser expects where a document ends too early; nil for other faults.
  ///
  /// Measured for `{` alone; the others are from the parser's source code.
  private static func expectation(at error: JSONError, in text: [UInt8]) -> String? {
    guard error.offset >= text.count else { return nil }
    return switch error.message {
    case "expected a key in double quotes": "an object key or }."
    case "expected a colon after the key": ": between key:value pair."
    case "expected a comma or a closing brace": ", or } after key:value pair."
    case "expected a comma or a closing bracket": ", or ] after array value."
    case "expected a value", "the document ends too early": "a value."
    default: nil
    }
  }

  /// The fields of a form as members of a message.
  ///
  /// A repeated name becomes a list, which no field of a form takes. The lists grow in place: a copy for
  /// each repetition would let a body of 300 KB keep the emulator busy for a minute.
  private static func members(of form: FormFields) -> JSONObject {
    var places: [ExactString: Int] = [:]
    var names: [String] = []
    var values: [[JSON]] = []
    for pair in form.pairs {
      if let place = places[ExactString(pair.name)] {
        values[place].append(.string(pair.value))
      } else {
        places[ExactString(pair.name)] = names.count
        names.append(pair.name)
        values.append([.string(pair.value)])
      }
    }
    return JSONObject(
      uniqueKeys: names, values: values.map { $0.count == 1 ? $0[0] : .array($0) })
  }

  /// The body in UTF-8; refuses one that cannot be read.
  private static func text(of request: HTTPRequest, _ rules: Rules) throws(Refusal) -> [UInt8] {
    guard !rules[.protobufJSON] else {
      try refuseUnreadable(request, rules)
      return request.body
    }
    let charset = BodyCharset(contentType: request.headers["Content-Type"] ?? "")
    guard charset.isUnicode else { throw charset.refusal }
    try refuseUnreadable(request, rules)
    guard let text = charset.text(of: request.body) else { throw charset.refusal }
    return text
  }

  /// Refuses a body that cannot be decoded by its `Content-Encoding`.
  ///
  /// Under the rules of Firebase's emulator the errors are those of body-parser, the library it reads
  /// bodies with, which does not support `x-gzip`.
  static func refuseUnreadable(_ request: HTTPRequest, _ rules: Rules) throws(Refusal) {
    guard !rules[.protobufJSON] else {
      guard request.bodyFault == nil else {
        throw .invalidArgument(
          "The request body is not what its Content-Encoding says; send gzip, deflate or no coding."
        )
      }
      return
    }
    let coding = request.headers["Content-Encoding"]?.asciiLowercased ?? ""
    guard ["", "identity", "gzip", "deflate"].contains(coding) else {
      throw Refusal(
        status: 415,
        plainBody: [
          "message": .string("unsupported content encoding \"\(Backend.printable(coding))\""),
          "encoding": .string(Backend.printable(coding)), "type": "encoding.unsupported",
        ])
    }
    switch request.bodyFault {
    case nil: return
    case .truncated: throw inflateFailed("Z_BUF_ERROR", -5)
    case .malformed, .unknownCoding: throw inflateFailed("Z_DATA_ERROR", -3)
    }
  }

  private static func inflateFailed(_ code: String, _ number: Int64) -> Refusal {
    Refusal(
      status: 400,
      plainBody: [
        "errno": .integer(number), "code": .string(code), "expose": true, "statusCode": 400,
        "status": 400,
      ])
  }

  /// Refuses a body of a type that the route does not accept, before the credentials are checked.
  ///
  /// Without a body the type does not matter: SDKs send `application/json` with every GET.
  static func checkType(of request: HTTPRequest, of route: Route) throws(Refusal) {
    guard announcesBody(request), let header = request.headers["Content-Type"], !header.isEmpty
    else { return }
    // Server SDKs send a body with DELETE, which is ignored.
    guard request.method != "DELETE" else { return }
    let kind = mediaType(header)
    let isForm = route.service == .secureToken && kind == "application/x-www-form-urlencoded"
    guard route.message != nil else { return try refuseTypedBody(of: request) }
    guard isForm || kind == "application/json" else { throw wrongType(request) }
  }

  /// Refuses a body with a content type, where no body is accepted.
  static func refuseTypedBody(of request: HTTPRequest) throws(Refusal) {
    guard !announcesBody(request) || request.headers["Content-Type"]?.isEmpty != false else {
      throw wrongType(request)
    }
  }

  /// Whether the headers announce a body (RFC 9112 section 6.3).
  private static func announcesBody(_ request: HTTPRequest) -> Bool {
    if request.headers["Transfer-Encoding"] != nil { return true }
    return request.headers["Content-Length"].flatMap { Int($0) } ?? 0 > 0
  }

  private static func wrongType(_ request: HTTPRequest) -> Refusal {
    let header = request.headers["Content-Type"] ?? ""
    return Refusal(
      message: "Invalid content-type: \(Backend.printable(header))", status: 400,
      reason: "unknown")
  }

  private static func notJSON(_ words: String) -> Refusal {
    Refusal(
      message: "Invalid JSON payload received. \(words)", status: 400, reason: "parseError",
      canonicalStatus: "INVALID_ARGUMENT")
  }

  static func isJSON(_ request: HTTPRequest) -> Bool {
    request.headers["Content-Type"].map(mediaType) == "application/json"
  }

  /// The media type of a header, without parameters and in lower case.
  private static func mediaType(_ header: String) -> String {
    if header == "application/json" { return header }
    return String(header.prefix { $0 != ";" }).filter { $0 != " " }.asciiLowercased
  }
}
