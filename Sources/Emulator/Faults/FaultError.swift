internal import System
internal import HTTP
internal import IdentityToolkit

/// An error response, in the format of Google's servers.
enum FaultError: Sendable, Equatable {
  /// An error by its name on the wire, such as `QUOTA_EXCEEDED`.
  case named(ServerError)
  /// A bare status, as from a load balancer in front of the service.
  case status(Int)

  /// Reads `QUOTA_EXCEEDED` or `503`.
  init?(_ text: String) {
    if let error = ServerError(rawValue: text) {
      self = .named(error)
    } else if let status = Int(text), (400...599).contains(status) {
      self = .status(status)
    } else {
      return nil
    }
  }

  var text: String {
    switch self {
    case .named(let error): error.rawValue
    case .status(let status): String(status)
    }
  }

  func response(for call: Call, retryAfter: Int?) -> ServerResponse {
    var response: ServerResponse
    switch self {
    case .named(let error):
      response = RequestRouter.response(Self.refusal(error, call.operation), call.errors)
    case .status(let status):
      // Load balancers send HTML, which clients that expect JSON must handle.
      response = ServerResponse(
        status: status,
        text: "<!doctype html>\n<title>Error \(status)</title>\n<p>That is an error.</p>\n",
        type: "text/html; charset=utf-8")
    }
    if let retryAfter { response.headers.set("Retry-After", String(retryAfter)) }
    return response
  }

  /// The error with the status and message that production uses.
  private static func refusal(_ error: ServerError, _ operation: APIOperation) -> Refusal {
    let name = error.rawValue
    func canonical(_ status: Int, _ reason: String, _ words: String) -> Refusal {
      Refusal(message: words, status: status, reason: reason, canonicalStatus: name)
    }
    switch error {
    case .quotaExceeded where operation == .token:
      // The token service reports an exceeded quota as an invalid argument.
      return Refusal(
        message: "QUOTA_EXCEEDED : Exceeded quota for exchanging tokens.", status: 400,
        reason: "invalid", canonicalStatus: "INVALID_ARGUMENT")
    case .quotaExceeded: return Refusal(error, "Exceeded quota for \(quota(of: operation)).")
    case .tooManyAttemptsTryLater:
      return Refusal(
        error,
        "Access to this account has been temporarily disabled due to many failed login attempts. "
          + "You can immediately restore it by resetting your password or you can try again later.")
    case .resourceExhausted:
      return canonical(429, "rateLimitExceeded", "Quota exceeded for quota metric.")
    case .unavailable:
      return canonical(503, "backendError", "The service is currently unavailable.")
    case .deadlineExceeded:
      return canonical(504, "deadlineExceeded", "Deadline exceeded.")
    case .internalFailure, .internalError:
      return Refusal(
        message: "Internal error encountered.", status: 500, reason: "backendError",
        canonicalStatus: "INTERNAL")
    case .permissionDenied:
      return canonical(403, "forbidden", "The caller does not have permission")
    case .unauthenticated: return .wrongBearer
    default: return Refusal(error)
    }
  }

  private static func quota(of operation: APIOperation) -> String {
    switch operation {
    case .signInWithPassword: "verifying passwords"
    case .update: "updating account information"
    case .delete, .batchDelete: "deleting accounts"
    case .lookup: "getting account information"
    case .sendOobCode: "email sending"
    case .sendVerificationCode: "sending verification codes"
    default: "\(operation)"
    }
  }
}
