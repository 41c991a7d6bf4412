/// A failure of an HTTP exchange, of a server or of the event loop that carries them.
///
/// Messages name host and port, never a query, a body or a header: those can hold secrets.
public struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for callers that decide by it.
  public enum Code: String, Sendable, CaseIterable {
    /// The host name has no address.
    case resolve
    /// Nothing accepted the connection.
    case connect
    /// The peer's certificate or the TLS handshake was refused.
    case tls
    /// The exchange did not finish within its time.
    case timedOut
    /// The body or the headers passed a limit.
    case tooLarge
    /// The redirects did not come to an end.
    case tooManyRedirects
    /// A redirect asks to send the body to another origin, which the request does not allow.
    case bodyRedirected
    /// The task was cancelled or the event loop has stopped.
    case cancelled
    /// The connection was cut, or the answer is not HTTP.
    case broken
    /// The text is not an absolute http or https URL.
    case malformedURL
    /// The request asks for something this client does not do.
    case unsupported
    /// The request would change something that this run may only read.
    case changeNotAllowed
    /// Another process listens on the port already.
    case portInUse
    /// The operating system refused something that normally works.
    case internalFailure
  }

  /// The kind of failure.
  public let code: Code

  /// What happened, naming host and port.
  public let message: String

  /// What the reader can do about it.
  public let hint: String

  /// Creates a failure from its kind, what happened and what to do.
  public init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
