import HTTP
public import IdentityToolkit
public import System

/// Why an administrator's operation failed, with a hint.
///
/// No text in it contains a token, a password, a code or a key.
public struct AdminError: Error, Sendable {
  /// The code, from the same table as the clients' errors.
  public let code: ErrorCode

  /// What happened.
  public let message: String

  /// The hint, in one sentence.
  public let hint: String

  /// The backend's name of the error.
  public let serverName: String?

  /// Further details from the backend, without secrets.
  public let details: JSON?

  /// The progress of a batch, if the error interrupted one.
  public internal(set) var batch: CutOffBatch?

  /// Whether the request may have been carried out, because there was no response.
  public internal(set) var isOutcomeUnknown = false

  /// The HTTP status; nil without a response.
  public internal(set) var status: Int?

  /// The Retry-After of the response (RFC 9110 section 10.2.3).
  public internal(set) var retryAfter: Duration?

  /// The machine-readable reasons, such as `RATE_LIMIT_EXCEEDED`.
  public internal(set) var reasons: [String] = []

  /// Creates an error; message and hint default to those of the code.
  public init(
    _ code: ErrorCode, _ message: String? = nil, hint: String? = nil, serverName: String? = nil,
    details: JSON? = nil
  ) {
    self.code = code
    self.message = message ?? code.summary
    self.hint = hint ?? code.hint
    self.serverName = serverName
    self.details = details
  }

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
      message = "the backend returned \(refusal.rawName), for which luath has no error code"
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

  /// Converts a failed request for an access token.
  init(exchange error: BackendError, of account: ServiceAccount) {
    switch error {
    case .refused(let refusal):
      // OAuth's shape (RFC 6749 section 5.2): a lower case name, with a description.
      let words = refusal.detail ?? refusal.rawName
      let name = words.prefix { $0 != " " && $0 != ":" }
      guard refusal.status < 500, refusal.status != 429 else {
        self.init(
          refusal.status == 429 ? .tooManyRequests : .networkError,
          "\(account.tokenURL.origin) is busy or away: \(words)",
          hint: refusal.hint("try again in a while"), serverName: String(name))
        return
      }
      self.init(
        .invalidServiceAccount, "\(account.clientEmail) gets no access token: \(words)",
        hint: refusal.hint(Self.hint(String(name), words.lowercased())), serverName: String(name))
    case .transport(let cause):
      self.init(error.code, cause.message, hint: error.hint)
    case .unexpected(let status, let message, _) where status >= 500:
      // Google's front ends respond with a web page when their backend is unavailable.
      self.init(
        .networkError, "\(account.tokenURL.origin) is busy or away: \(message)",
        hint: "try again in a while", details: ["status": .integer(Int64(status))])
    case .unexpected(let status, let message, _):
      self.init(
        error.code == .internalError ? .invalidServiceAccount : error.code,
        "\(account.tokenURL.origin): \(message)",
        hint: error.code == .internalError
          ? "check the key's token_uri, and that nothing stands between" : error.hint,
        details: ["status": .integer(Int64(status))])
    }
  }

  /// Google's token endpoint reports most errors as `invalid_grant` with a sentence.
  private static func hint(_ name: String, _ words: String) -> String {
    func says(_ text: String) -> Bool { words.contains(text) }
    switch name {
    case "invalid_grant" where says("timeframe") || says("iat") || says("expired"):
      return "check this machine's clock: the times in a signed request may be off by minutes only"
    case "invalid_grant" where says("signature") || says("key"):
      return "the key was deleted or is another account's: make a new key in the console"
    case "invalid_grant" where says("not found"):
      return "the service account was deleted: make another one, and a key for it"
    case "invalid_grant" where says("disabled"), "disabled_client", "account_disabled":
      return "the service account is switched off: enable it in the console"
    case "invalid_scope", "unauthorized_client", "access_denied":
      return "the account may not have these scopes: ask the administrator of the organization"
    default:
      return "check in the console that the service account and this key of it exist"
    }
  }
}

extension AdminError: CustomStringConvertible {
  /// The code's name and number, the message and the hint.
  public var description: String { "\(code.rawValue) (\(code.number)): \(message); \(hint)" }
}
