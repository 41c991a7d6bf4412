/// An error of an HTTP exchange, of a server or of the event loop.
///
/// Messages contain host and port, never a query, a body or a header, which may contain secrets.
public struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of errors, for callers that decide by them.
  public enum Code: String, Sendable, CaseIterable {
    /// The host name could not be resolved.
    case resolve
    /// The connection was refused or failed.
    case connect
    /// The TLS handshake failed, or the certificate was rejected.
    case tls
    /// The time limit was reached.
    case timedOut
    /// The body or the headers exceed a limit.
    case tooLarge
    case tooManyRedirects
    /// A redirect would send the body to another origin, which the request does not allow.
    case bodyRedirected
    /// The task was canceled or the event loop has stopped.
    case cancelled
    /// The connection broke, or the response is not HTTP.
    case broken
    /// The text is not an absolute http or https URL.
    case malformedURL
    /// The client does not support what the request asks for.
    case unsupported
    /// The request would change something in a read-only run.
    case changeNotAllowed
    case portInUse
    /// A system call failed that normally works.
    case internalFailure
  }

  /// The kind of failure.
  public let code: Code

  /// What happened, with host and port.
  public let message: String

  /// What the user can do about it.
  public let hint: String

  /// Creates an error.
  public init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
