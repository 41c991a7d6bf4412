public import System
public import IdentityToolkit

/// Why an administrator's operation failed, with a hint.
///
/// No text in it contains a token, a password, a code or a key.
public struct AdminError: Error, Sendable {
  /// The code, from the same table as the clients' errors.
  public let code: ErrorCode

  /// What happened.
  public let message: String

  /// The hint, in one sentence.
  public let hint: String

  /// The backend's name of the error.
  public let serverName: String?

  /// Further details from the backend, without secrets.
  public let details: JSON?

  /// The progress of a batch, if the error interrupted one.
  public internal(set) var batch: CutOffBatch?

  /// Whether the request may have been carried out, because there was no response.
  public internal(set) var isOutcomeUnknown = false

  /// The HTTP status; nil without a response.
  public internal(set) var status: Int?

  /// The Retry-After of the response (RFC 9110 section 10.2.3).
  public internal(set) var retryAfter: Duration?

  /// The machine-readable reasons, such as `RATE_LIMIT_EXCEEDED`.
  public internal(set) var reasons: [String] = []

  /// Creates an error; message and hint default to those of the code.
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
  /// The code's name and number, the message and the hint.
  public var description: String { "\(code.rawValue) (\(code.number)): \(message); \(hint)" }
}
