import HTTP

/// Why a server gave no answer that could be compared.
public struct PeerFailure: Error, Sendable {
  /// What happened.
  public let message: String
  /// What to do.
  public let hint: String
  /// Whether this run may not change the project, so that no further scenario can be played.
  public let isRefusedByGuard: Bool
  /// Whether the request may have been carried out.
  let isOutcomeUnknown: Bool

  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
    isRefusedByGuard = false
    isOutcomeUnknown = false
  }

  init(_ error: HTTPError) {
    message = error.message
    hint = error.hint
    isRefusedByGuard = error.code == .changeNotAllowed
    switch error.code {
    case .broken, .timedOut, .tooLarge, .cancelled: isOutcomeUnknown = true
    default: isOutcomeUnknown = false
    }
  }
}
