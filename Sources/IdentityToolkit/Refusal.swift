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
}
