public import HTTP

/// One HTTP exchange of a script, as it was: secrets and all.
public struct ObservedExchange: Sendable {
  /// Who asked.
  public enum Sender: Sendable {
    /// The script, or a client it uses.
    case script
    /// A delegate that stands in for a browser.
    case browser
  }

  /// Who asked.
  public let sender: Sender
  /// As it was sent, which for an emulated provider's host is to the emulator.
  public let request: HTTPRequest
  /// Whether the emulator is asked.
  public let isEmulator: Bool
  /// When the request was begun.
  public let began: ContinuousClock.Instant
  /// From there to the last byte of the answer, or to the failure.
  public let duration: Duration
  /// The answer, or why there is none.
  public let result: Result<HTTPResponse, HTTPError>

  /// Describes an exchange that is over.
  public init(
    sender: Sender, request: HTTPRequest, isEmulator: Bool, began: ContinuousClock.Instant,
    duration: Duration, result: Result<HTTPResponse, HTTPError>
  ) {
    self.sender = sender
    self.request = request
    self.isEmulator = isEmulator
    self.began = began
    self.duration = duration
    self.result = result
  }
}
