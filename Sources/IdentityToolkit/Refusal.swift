public import Encoding

/// A failure answer of the backend: its name, its words and where they came from.
///
/// The emulator throws it and writes it as a body; the client reads it back.
public struct Refusal: Error, Sendable, Equatable {
  /// The refusal's name if it is one we know.
  public let error: ServerError?

  /// The name as it stood on the wire; for a message without a name, the canonical status.
  public let rawName: String

  /// What follows the name, or the whole message when it has no name.
  ///
  /// May quote parts of the request. The client cleans it before it goes into an error text.
  public let detail: String?

  /// The HTTP status.
  public let status: Int

  /// The reasons given in `errors` and `details`, such as `keyInvalid` or `API_KEY_INVALID`.
  public let reasons: [String]

  /// Google's canonical status, such as `INVALID_ARGUMENT`.
  public let canonicalStatus: String?

  /// The members of `details`.
  public let details: [JSON]

  /// How long the answer's Retry-After asks to wait, for a person: `30 s`.
  public internal(set) var askedWait: String?

  /// The same as a time: what a program waits before it sends anything again.
  public internal(set) var retryAfter: Duration?

  let hasName: Bool

  /// The whole body, where it is not Google's: what a library of the server answers by itself.
  let plainBody: JSONObject?

  /// Refuses under a known name, with the words that follow it on the wire.
  public init(_ error: ServerError, _ detail: String? = nil, status: Int = 400) {
    self.init(
      error: error, rawName: error.rawValue, detail: detail, status: status, reasons: ["invalid"],
      canonicalStatus: nil, details: [], hasName: true)
  }

  /// Refuses in a sentence that starts with no name, as Google's front ends do.
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

  /// Refuses in exactly these words, which may or may not begin with a name.
  public init(verbatim message: String, status: Int = 400) {
    self.init(
      error: nil, rawName: "", detail: message, status: status, reasons: ["invalid"],
      canonicalStatus: nil, details: [], hasName: false)
  }

  /// Refuses with a body that is not in Google's shape.
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

  /// The code scripts know this refusal by.
  ///
  /// The name decides; a refusal without one that is known is told by its reasons, then by its status.
  public var code: ErrorCode {
    if hasName, let error { return error.code }
    if keyRestriction != nil { return .appNotAuthorized }
    for reason in reasons {
      // `keyInvalid…` is the older front end's word, the others are today's.
      if reason.hasPrefix("keyInvalid") || reason == "API_KEY_INVALID" { return .invalidAPIKey }
      if reason.hasPrefix("API_KEY_"), reason.hasSuffix("_BLOCKED") { return .appNotAuthorized }
    }
    let words = [
      "The request is missing a valid API key", "API key not valid", "API key expired",
      "Method doesn't allow unregistered callers",
    ]
    if !hasName, let detail, words.contains(where: detail.hasPrefix) { return .invalidAPIKey }
    if let code = error?.code ?? ErrorCode(ofBusyStatus: status) { return code }
    // Firebase's emulator names what it lacks in place of a refusal: `EMAIL_SIGNIN`.
    return status == 501 ? .notImplemented : .internalError
  }

  /// The message as it stands on the wire.
  public var message: String {
    guard hasName else { return detail ?? rawName }
    guard let detail, !detail.isEmpty else { return rawName }
    return "\(rawName) : \(detail)"
  }

  /// What to do, after the wait that the backend asks for, if it asks for one.
  public func hint(_ words: String) -> String {
    askedWait.map { "the backend asks to wait \($0); then: \(words)" } ?? words
  }
}
