public import Admin
import IdentityToolkit

/// What a failed call means for the step, the row and the run.
public enum FaultClass: Sendable, Equatable {
  /// The call may work later: the connection broke, the backend is down.
  case retryable
  /// The backend wants fewer calls, after this time if it says one; it has carried nothing out.
  case throttled(after: Duration?)
  /// The backend refuses this row, and will again.
  case row
  /// No row can be done: the key, the permissions or the project are wrong.
  case run

  /// Names on the wire that mean too many calls, whatever the status: many come with 400.
  private static let throttles: Set<String> = [
    "QUOTA_EXCEEDED", "TOO_MANY_ATTEMPTS_TRY_LATER", "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED",
  ]
  /// Reasons of the older front ends, which come with 403.
  private static let throttleReasons: Set<String> = [
    "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "RATE_LIMIT_EXCEEDED",
  ]
  /// Names on the wire that concern the project and not an account.
  private static let runNames: Set<String> = [
    "CONFIGURATION_NOT_FOUND", "PROJECT_NOT_FOUND", "PROJECT_DISABLED", "INVALID_PROJECT_ID",
    "PERMISSION_DENIED", "INSUFFICIENT_PERMISSION", "UNAUTHENTICATED", "TENANT_NOT_FOUND",
    "INVALID_TENANT_ID", "TENANT_ID_MISMATCH", "UNSUPPORTED_TENANT_OPERATION",
    "BILLING_NOT_ENABLED",
  ]
  /// The row's, though the status alone would say otherwise.
  private static let rowNames: Set<String> = ["USER_NOT_FOUND", "EMAIL_NOT_FOUND", "USER_DISABLED"]

  /// Classes a failure.
  ///
  /// Quotas come in several shapes: 429, 503 with Retry-After, 400 with a name, 403 with a reason, and a
  /// sentence without any name.
  public init(_ error: AdminError) {
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
    // What no wait of a run's length helps against is the run's end.
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
