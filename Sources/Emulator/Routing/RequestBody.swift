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
          "The request body is not encoded as its Content-Encoding; send gzip, deflate or no coding."
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

/// The `charset` of a request's content type, as read by body-parser, the library of Firebase's emulator.
struct BodyCharset {
  /// The name in lower case; `utf-8` when there is none.
  private let name: String

  init(contentType: String) {
    guard contentType.utf8.contains(UInt8(ascii: ";")) else {
      name = "utf-8"
      return
    }
    let parameters = contentType.split(separator: ";").dropFirst().map { parameter in
      let halves = parameter.split(separator: "=", maxSplits: 1).map { half in
        String(half.filter { $0 != " " && $0 != "\t" && $0 != "\"" }).asciiLowercased
      }
      return (name: halves.first ?? "", value: halves.count == 2 ? halves[1] : nil)
    }
    // One parameter without a value makes the library ignore them all.
    let isReadable = parameters.allSatisfy { $0.value != nil }
    let charset = parameters.last { $0.name == "charset" }?.value ?? ""
    name = isReadable && !charset.isEmpty ? charset : "utf-8"
  }

  /// Whether the library tries to decode it at all.
  var isUnicode: Bool { name.utf8.starts(with: "utf-".utf8) }

  var refusal: Refusal {
    let name = Backend.printable(name)
    return Refusal(
      status: 415,
      plainBody: [
        "message": .string("unsupported charset \"\(name.uppercased())\""),
        "charset": .string(name), "type": "charset.unsupported",
      ])
  }

  /// The body in UTF-8; nil for an unknown charset.
  func text(of bytes: [UInt8]) -> [UInt8]? {
    switch name {
    case "utf-8": bytes
    case "utf-16": Self.utf8(of: bytes, isBigEndian: Self.isBigEndian(bytes))
    case "utf-16le": Self.utf8(of: bytes, isBigEndian: false)
    case "utf-16be": Self.utf8(of: bytes, isBigEndian: true)
    default: nil
    }
  }

  /// Decided by the byte order mark, or else by the position of the zero bytes of ASCII letters.
  private static func isBigEndian(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFE, 0xFF]) { return true }
    if bytes.starts(with: [0xFF, 0xFE]) { return false }
    var balance = 0
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      if bytes[index] == 0, bytes[index + 1] != 0 { balance += 1 }
      if bytes[index] != 0, bytes[index + 1] == 0 { balance -= 1 }
    }
    return balance > 0
  }

  private static func utf8(of bytes: [UInt8], isBigEndian: Bool) -> [UInt8] {
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let (one, other) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? one << 8 | other : other << 8 | one
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}

/// The JSON body of a request with its keys in camel case: null counts as absent, and a wrong type is a 400.
struct Fields: Sendable {
  let object: JSONObject

  init(_ object: JSONObject = JSONObject()) {
    self.object = object
  }

  func value(_ key: String) -> JSON? {
    guard let value = object[key], !value.isNull else { return nil }
    return value
  }

  /// The string under `key` of a body whose types are already checked; an empty one counts as absent.
  func text(_ key: String) -> String? {
    guard case .string(let text)? = object[key], !text.isEmpty else { return nil }
    return text
  }

  func has(_ key: String) -> Bool { value(key) != nil }

  func string(_ key: String) throws(Refusal) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value else { throw .wrongType(key, "string") }
    return text
  }

  /// The maximum length in bytes of a string that is stored and sent back later.
  static let echoLimit = 16 << 10

  /// A string that is stored and sent back later; the limits of Google's servers are not known.
  func echo(_ key: String) throws(Refusal) -> String? {
    let text = try string(key)
    guard text?.utf8.count ?? 0 <= Self.echoLimit else {
      throw .invalidArgument("\(key) is longer than \(Self.echoLimit) bytes")
    }
    return text
  }

  func bool(_ key: String) throws(Refusal) -> Bool? {
    guard let value = value(key) else { return nil }
    guard case .bool(let flag) = value else { throw .wrongType(key, "boolean") }
    return flag
  }

  /// A whole number; protocol buffer JSON writes 64-bit numbers as strings.
  func integer(_ key: String) throws(Refusal) -> Int64? {
    guard let value = value(key) else { return nil }
    if case .string(let text) = value, let number = Int64(text) { return number }
    guard let number = value.integer else { throw .wrongType(key, "integer") }
    return number
  }

  func object(_ key: String) throws(Refusal) -> JSONObject? {
    guard let value = value(key) else { return nil }
    guard case .object(let object) = value else { throw .wrongType(key, "object") }
    return object
  }

  func strings(_ key: String) throws(Refusal) -> [String]? {
    guard let value = value(key) else { return nil }
    guard case .array(let items) = value else { throw .wrongType(key, "array") }
    var texts: [String] = []
    for (index, item) in items.enumerated() {
      guard case .string(let text) = item else { throw .wrongType("\(key)/\(index)", "string") }
      texts.append(text)
    }
    return texts
  }
}
