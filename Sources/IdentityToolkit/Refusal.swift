public import System

/// An error response of the backend: its name, message and details.
///
/// The emulator throws it and encodes it; the client parses it.
public struct Refusal: Error, Sendable, Equatable {
  /// The name of the error, if it is a known one.
  public let error: ServerError?

  /// The name in the response; for a message without a name, the canonical status.
  public let rawName: String

  /// The text after the name, or the whole message if it has no name.
  ///
  /// It may quote parts of the request. The client cleans it before using it in an error message.
  public let detail: String?

  /// The HTTP status.
  public let status: Int

  /// The reasons in `errors` and `details`, such as `keyInvalid` or `API_KEY_INVALID`.
  public let reasons: [String]

  /// Google's canonical status, such as `INVALID_ARGUMENT`.
  let canonicalStatus: String?

  /// The members of `details`.
  public let details: [JSON]

  /// The response's Retry-After as text: `30 s`.
  var askedWait: String?

  /// The response's Retry-After, before which nothing should be sent again.
  public internal(set) var retryAfter: Duration?

  let hasName: Bool

  /// The whole body, when it is not in Google's shape, as from a library of the server.
  let plainBody: JSONObject?

  /// Creates a refusal with a known name, followed by a detail.
  public init(_ error: ServerError, _ detail: String? = nil, status: Int = 400) {
    self.init(
      error: error, rawName: error.rawValue, detail: detail, status: status, reasons: ["invalid"],
      canonicalStatus: nil, details: [], hasName: true)
  }

  /// Creates a refusal with a message but no name, as Google's front ends send.
  public init(
    message: String, status: Int, reason: String, canonicalStatus: String? = nil,
    details: [JSON] = []
  ) {
    self.init(
      error: canonicalStatus.flatMap { ServerError(rawValue: $0) }, rawName: canonicalStatus ?? "",
      detail: message,
      status: status, reasons: [reason] + details.compactMap { $0["reason"]?.string },
      canonicalStatus: canonicalStatus, details: details, hasName: false)
  }

  /// Creates a refusal with exactly this message, which may begin with a name.
  public init(verbatim message: String, status: Int = 400) {
    self.init(
      error: nil, rawName: "", detail: message, status: status, reasons: ["invalid"],
      canonicalStatus: nil, details: [], hasName: false)
  }

  /// Creates a refusal with a body that is not in Google's shape.
  public init(status: Int, plainBody: JSONObject) {
    self.init(
      error: nil, rawName: "", detail: plainBody["message"]?.string, status: status, reasons: [],
      canonicalStatus: nil, details: [], hasName: false, plainBody: plainBody)
  }

  init(
    error: ServerError?, rawName: String, detail: String?, status: Int, reasons: [String],
    canonicalStatus: String?, details: [JSON], hasName: Bool, askedWait: String? = nil,
    plainBody: JSONObject? = nil
  ) {
    self.error = error
    self.rawName = rawName
    self.detail = detail
    self.status = status
    self.reasons = reasons
    self.canonicalStatus = canonicalStatus
    self.details = details
    self.hasName = hasName
    self.askedWait = askedWait
    self.plainBody = plainBody
  }

  /// The error code for scripts.
  ///
  /// It depends on the name; without a known name, on the reasons, then on the status.
  public var code: ErrorCode {
    if hasName, let error { return error.code }
    if keyRestriction != nil { return .appNotAuthorized }
    for reason in reasons {
      // `keyInvalid…` comes from the older front end, the others from the current one.
      if reason.hasPrefix("keyInvalid") || reason == "API_KEY_INVALID" { return .invalidAPIKey }
      if reason.hasPrefix("API_KEY_"), reason.hasSuffix("_BLOCKED") { return .appNotAuthorized }
    }
    let words = [
      "The request is missing a valid API key", "API key not valid", "API key expired",
      "Method doesn't allow unregistered callers",
    ]
    if !hasName, let detail, words.contains(where: detail.hasPrefix) { return .invalidAPIKey }
    if let code = error?.code ?? ErrorCode(ofBusyStatus: status) { return code }
    // For a missing feature, Firebase's emulator responds with the feature's name: `EMAIL_SIGNIN`.
    return status == 501 ? .notImplemented : .internalError
  }

  /// The message as sent in the response.
  public var message: String {
    guard hasName else { return detail ?? rawName }
    guard let detail, !detail.isEmpty else { return rawName }
    return "\(rawName) : \(detail)"
  }

  /// Returns the hint, preceded by the Retry-After time, if there is one.
  public func hint(_ words: String) -> String {
    askedWait.map { "the backend asks to wait \($0); then: \(words)" } ?? words
  }

  /// Encodes the response body, for an emulator.
  public func body(_ shape: ErrorShape) -> JSON {
    if let plainBody { return .object(plainBody) }
    var error: JSONObject = ["code": .integer(Int64(status)), "message": .string(message)]
    switch shape {
    case .emulator, .first: error["errors"] = [.object(firstError(shape))]
    case .second: break
    }
    if let name = canonicalStatus ?? (shape == .second ? Self.canonicalName(of: status) : nil) {
      error["status"] = .string(name)
    }
    if !details.isEmpty { error["details"] = .array(details) }
    return ["error": .object(error)]
  }

  /// The canonical name of an HTTP status, which Google's servers use if the operation has none.
  private static func canonicalName(of status: Int) -> String {
    switch status {
    case 401: "UNAUTHENTICATED"
    case 403: "PERMISSION_DENIED"
    case 404: "NOT_FOUND"
    case 409: "ALREADY_EXISTS"
    case 429: "RESOURCE_EXHAUSTED"
    case 501: "UNIMPLEMENTED"
    case 503: "UNAVAILABLE"
    case 504: "DEADLINE_EXCEEDED"
    case 500...: "INTERNAL"
    default: "INVALID_ARGUMENT"
    }
  }

  /// The only member of `errors`; without a domain for requests that name no operation.
  private func firstError(_ shape: ErrorShape) -> JSONObject {
    let reason = reasons.first ?? "invalid"
    if shape == .first, details.contains(where: { $0["fieldViolations"] != nil }) {
      return ["message": .string(message), "reason": .string(reason)]
    }
    var entry: JSONObject = ["message": .string(message), "reason": .string(reason)]
    switch reason {
    case "notFound", "unimplemented", "unknown", "INTERNAL": break
    case "authError", "required":
      entry["message"] = reason == "required" ? "Login Required." : "Invalid Credentials"
      entry["domain"] = "global"
      entry["location"] = "Authorization"
      entry["locationType"] = "header"
    default: entry["domain"] = "global"
    }
    return entry
  }

  /// Parses an error response; nil when the body has no `error` in a known shape.
  init?(status: Int, body: JSON) {
    guard let error = body["error"] else { return nil }
    // Some front ends use OAuth's shape: only the name, with a description next to it.
    if let name = error.string {
      let words = body["error_description"]?.string
      self.init(message: words.map { "\(name) : \($0)" } ?? name, status: status, error: [:])
      return
    }
    guard let object = error.object else { return nil }
    self.init(message: object["message"]?.string ?? "", status: status, error: object)
  }

  /// Parses a message alone, as in a response with status 200 that reports a failure.
  public init(status: Int, message: String) {
    self.init(message: message, status: status, error: [:])
  }

  private init(message: String, status: Int, error object: JSONObject) {
    let canonicalStatus = object["status"]?.string
    let details = object["details"]?.array ?? []
    let reasons =
      (object["errors"]?.array ?? []).compactMap { $0["reason"]?.string }
      + details.compactMap { $0["reason"]?.string }
    let split = SplitMessage(message)
    let rawName = split.name ?? canonicalStatus ?? ""
    self.init(
      error: ServerError(rawValue: rawName), rawName: rawName,
      detail: split.detail, status: status, reasons: reasons, canonicalStatus: canonicalStatus,
      details: details, hasName: split.name != nil)
  }

  /// The response of the project's blocking function, if it refused the operation.
  ///
  /// `detail` contains the function's body inside other text: the first balanced braces.
  var functionError: JSON? {
    guard error == .blockingFunctionErrorResponse, let detail else { return nil }
    let bytes = Array(detail.utf8)
    guard let start = bytes.firstIndex(of: UInt8(ascii: "{")) else { return nil }
    var depth = 0
    var isInString = false
    var isEscaped = false
    for index in start..<bytes.count {
      let byte = bytes[index]
      if isEscaped {
        isEscaped = false
      } else if isInString {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte == UInt8(ascii: "{") {
        depth += 1
      } else if byte == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { return try? JSON.parse(Array(bytes[start...index])) }
      }
    }
    return nil
  }
}

/// A message split at its first colon, with both parts trimmed.
private struct SplitMessage {
  /// The name, if the message starts with one.
  let name: String?
  /// The text after the name, or the whole message.
  let detail: String?

  init(_ message: String) {
    let bytes = trimmed(message.utf8[...])
    let head = bytes.prefix { byte in
      (byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")) || byte == UInt8(ascii: "_")
        || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
    }
    // Usually `NAME : words`, but `NAME ((words))` was seen too.
    let rest = trimmed(bytes[head.endIndex...])
    let isName: Bool
    switch rest.first {
    case nil: isName = true
    case UInt8(ascii: ":"): isName = true
    case UInt8(ascii: "("): isName = ServerError(rawValue: String(Substring(head))) != nil
    default: isName = false
    }
    guard isName, !head.isEmpty else {
      name = nil
      detail = bytes.isEmpty ? nil : String(Substring(bytes))
      return
    }
    name = String(Substring(head))
    let words = rest.first == UInt8(ascii: ":") ? trimmed(rest.dropFirst()) : rest
    detail = words.isEmpty ? nil : String(Substring(words))
  }
}

private func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
  var text = text
  while let first = text.first, first <= 0x20 { text = text.dropFirst() }
  while let last = text.last, last <= 0x20 { text = text.dropLast() }
  return text
}

/// The shape of an error response's body.
public enum ErrorShape: Sendable {
  /// Firebase's emulator: always `errors`, and `status` if the refusal has one.
  case emulator
  /// Version 1 of Identity Toolkit: `errors`, and `status` if the refusal has one.
  ///
  /// The members of `errors` have no domain when `details` name an invalid field.
  case first
  /// Version 2 and the token service: `status` and no `errors`.
  case second
}
