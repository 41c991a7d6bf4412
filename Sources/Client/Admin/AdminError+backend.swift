import System
import HTTP
import IdentityToolkit

extension AdminError {
  init(_ error: BackendError, of account: ServiceAccount?, on target: Target) {
    switch error {
    case .refused(let refusal):
      self.init(refusal, of: account, on: target)
      isOutcomeUnknown = refusal.status >= 500
      status = refusal.status
      retryAfter = refusal.retryAfter
      reasons = refusal.reasons
    case .transport(let cause):
      self.init(error.code, cause.message, hint: error.hint)
      isOutcomeUnknown = ![.resolve, .connect, .tls, .changeNotAllowed].contains(cause.code)
    case .unexpected(let status, let message, let wait):
      self.init(
        error.code, message, hint: error.hint, details: ["status": .integer(Int64(status))])
      // A proxy in front of the backend rejects with 4xx without forwarding the request.
      isOutcomeUnknown = !(400..<500).contains(status)
      self.status = status
      retryAfter = wait
    }
  }

  private init(_ refusal: Refusal, of account: ServiceAccount?, on target: Target) {
    let code = Self.code(of: refusal)
    var message = code.summary
    if refusal.error == nil, !refusal.rawName.isEmpty, code == .internalError {
      message = "the backend answered \(refusal.rawName), which has no error code of its own"
    }
    if let words = refusal.detail, !words.isEmpty { message += ": \(words)" }
    self.init(
      code, message,
      hint: refusal.hint(
        code == .insufficientPermission
          ? Self.hint(forRefused: account, refusal, on: target) : Self.hint(for: code)),
      serverName: refusal.rawName.isEmpty ? nil : refusal.rawName,
      details: refusal.details.isEmpty ? nil : .array(refusal.details))
  }

  /// Maps names that mean something else for administrators, who act on other users' accounts.
  private static func code(of refusal: Refusal) -> ErrorCode {
    switch refusal.error {
    case .duplicateLocalID: .uidAlreadyExists
    case .phoneNumberExists: .phoneNumberAlreadyExists
    case .invalidIDToken, .missingIDToken: .invalidIDToken
    case .tokenExpired: .idTokenExpired
    case .invalidArgument, .missingLocalID, .missingRawID, .missingUserAccount,
      .localIDListExceedsLimit, .unexpectedParameter, .invalidLocalID, .duplicateMFAEnrollmentID:
      .invalidArgument
    default:
      refusal.code == .internalError && [401, 403].contains(refusal.status)
        ? .insufficientPermission : refusal.code
    }
  }

  /// Returns the hint, where it differs for administrators.
  private static func hint(for code: ErrorCode) -> String {
    switch code {
    case .emailAlreadyInUse:
      "use another address, or take it from the account that admin:getUserByEmail finds"
    case .credentialAlreadyInUse:
      "unlink it first from the account that admin:getUserByProviderUID finds"
    case .userNotFound: "check the uid or address, the target's project and the tenant"
    case .missingAndroidPackageName: "name the app in android.packageName of the settings"
    case .invalidTenantID: "check the tenantID of this Admin, and the target's project"
    default: code.hint
    }
  }

  private static func hint(
    forRefused account: ServiceAccount?, _ refusal: Refusal, on target: Target
  ) -> String {
    guard let account, !target.isEmulated else { return ErrorCode.insufficientPermission.hint }
    if refusal.reasons.contains("SERVICE_DISABLED") {
      return "enable the Identity Toolkit API in the project \(target.projectID)"
    }
    if refusal.status == 401 {
      return "the key of \(account.clientEmail) may have been revoked: make a new one"
    }
    return "give \(account.clientEmail) the role Firebase Authentication Admin"
  }
}
