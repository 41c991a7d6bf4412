import Client
import IdentityToolkit

/// The consequence of a failed call for the step, the row and the run.
enum FaultClass: Sendable, Equatable {
  /// The call may succeed later: the connection broke or the backend is down.
  case retryable
  /// The backend throttled the call, with its requested delay if it sent one; the call had no effect.
  case throttled(after: Duration?)
  /// The backend rejects this row, and would reject it again.
  case row
  /// No row can succeed: the key, the permissions or the project are wrong.
  case run

  /// The name of the class, for programs.
  var status: String {
    switch self {
    case .retryable: "unavailable"
    case .throttled: "throttled"
    case .row: "refused"
    case .run: "fatal"
    }
  }

  /// Server error names that mean throttling with any status; many come with 400.
  private static let throttles: Set<String> = [
    "QUOTA_EXCEEDED", "TOO_MANY_ATTEMPTS_TRY_LATER", "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED",
  ]
  /// Error reasons of the older front ends; they come with 403.
  private static let throttleReasons: Set<String> = [
    "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "RATE_LIMIT_EXCEEDED",
  ]
  /// Server error names that concern the project instead of one account.
  private static let runNames: Set<String> = [
    "CONFIGURATION_NOT_FOUND", "PROJECT_NOT_FOUND", "PROJECT_DISABLED", "INVALID_PROJECT_ID",
    "PERMISSION_DENIED", "INSUFFICIENT_PERMISSION", "UNAUTHENTICATED", "TENANT_NOT_FOUND",
    "INVALID_TENANT_ID", "TENANT_ID_MISMATCH", "UNSUPPORTED_TENANT_OPERATION",
    "BILLING_NOT_ENABLED",
  ]
  /// Errors of one row, although the status alone suggests an error of the run.
  private static let rowNames: Set<String> = ["USER_NOT_FOUND", "EMAIL_NOT_FOUND", "USER_DISABLED"]

  /// Classifies a failure.
  ///
  /// Quota errors come as 429, 503 with Retry-After, 400 with a name, 403 with a reason, or a message without a name.
  init(_ error: AdminError) {
    let name = error.serverName ?? ""
    if Self.isThrottle(error, name) {
      self = .throttled(after: error.retryAfter)
    } else if Self.rowNames.contains(name) {
      self = .row
    } else if Self.runNames.contains(name) || Self.isOfRun(error) {
      self = .run
    } else if error.status == 501 {
      self = .row
    } else if error.code == .networkError || error.isOutcomeUnknown {
      self = .retryable
    } else {
      self = .row
    }
  }

  private static func isThrottle(_ error: AdminError, _ name: String) -> Bool {
    // Errors that waiting cannot fix end the run.
    if error.reasons.contains("dailyLimitExceeded") { return false }
    return error.status == 429 || error.status == 503 && error.retryAfter != nil
      || throttles.contains(name) || error.code == .quotaExceeded || error.code == .tooManyRequests
      || !throttleReasons.isDisjoint(with: error.reasons)
      || error.message.contains("Exceeded quota for")
  }

  private static func isOfRun(_ error: AdminError) -> Bool {
    if let status = error.status, [401, 403, 404].contains(status) { return true }
    if error.reasons.contains("dailyLimitExceeded") { return true }
    return [
      .invalidServiceAccount, .insufficientPermission, .invalidAPIKey, .appNotAuthorized,
      .changeNotAllowed,
    ].contains(error.code)
  }
}
