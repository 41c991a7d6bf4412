public import HTTP

/// One HTTP exchange of a script, unmasked: may contain secrets.
public struct ObservedExchange: Sendable {
  /// The sender of the request.
  public enum Sender: Sendable {
    /// The script or a client that it uses.
    case script
    case browser
  }

  /// The sender of the request.
  public let sender: Sender
  /// The request as sent; for an emulated provider's host it goes to the emulator.
  public let request: HTTPRequest
  /// Whether the request goes to the emulator.
  public let isEmulator: Bool
  /// The start of the request.
  public let began: ContinuousClock.Instant
  /// The time from the start to the last byte of the response or to the failure.
  public let duration: Duration
  /// The response or the error.
  public let result: Result<HTTPResponse, HTTPError>
}
