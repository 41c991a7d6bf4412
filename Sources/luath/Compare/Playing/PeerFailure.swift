import Host
import HTTP

/// Why a server gave no comparable response.
struct PeerFailure: Error, Sendable {
  /// What happened.
  let message: String
  /// What the user can do about it.
  let hint: String
  /// Whether this run may not change the project, so that no further scenario can run.
  let isRefusedByGuard: Bool
  /// Whether the server may have performed the request.
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
