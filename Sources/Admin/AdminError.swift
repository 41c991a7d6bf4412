public import Encoding
public import IdentityToolkit

/// Why an operation of an administrator failed, and what to do about it.
///
/// No text in it holds a token, a password, a code or a key.
public struct AdminError: Error, Sendable {
  /// The code, from the same table as the clients' errors.
  public let code: ErrorCode

  /// What happened.
  public let message: String

  /// What to do next, in one sentence.
  public let hint: String

  /// The name the backend gave the failure on the wire.
  public let serverName: String?

  /// What else the backend said, without its secrets.
  public let details: JSON?

  /// How far a batch had come, when the failure cut one off.
  public internal(set) var batch: CutOffBatch?

  /// Whether the request may have been carried out all the same, as no answer told.
  public internal(set) var isOutcomeUnknown = false

  /// The status of the answer; nil where none came.
  public internal(set) var status: Int?

  /// How long the answer asks to wait before anything is sent again (`Retry-After`, RFC 9110 section 10.2.3).
  public internal(set) var retryAfter: Duration?

  /// The machine-readable reasons beside the name, such as `RATE_LIMIT_EXCEEDED`.
  public internal(set) var reasons: [String] = []

  /// Describes a failure; the code's own sentences stand where none are given.
  public init(
    _ code: ErrorCode, _ message: String? = nil, hint: String? = nil, serverName: String? = nil,
    details: JSON? = nil
  ) {
    self.code = code
    self.message = message ?? code.summary
    self.hint = hint ?? code.hint
    self.serverName = serverName
    self.details = details
  }
}

extension AdminError: CustomStringConvertible {
  /// The code's name and number, what happened and what to do.
  public var description: String { "\(code.rawValue) (\(code.number)): \(message); \(hint)" }
}
