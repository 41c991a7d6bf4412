@testable import System
@testable import IdentityToolkit
import Testing

/// Every code of the table, reached from a script: by each name a backend has for it, or as the
/// client finds it by itself.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ErrorTableTests {
  private static func columns(_ code: ErrorCode) -> [JSON] {
    [
      .string(code.rawValue), .integer(Int64(code.number)), .string(code.name),
      .string(code.webCode),
    ]
  }

  @Test func `every name on the wire becomes an error object with all its fields`() async throws {
    let rows = ServerError.allCases.map { refused in
      JSON.array([.string(refused.rawValue)] + Self.columns(refused.code))
    }
    #expect(rows.count > 100)
    try await Flow().runScripted(program: "ErrorTable/wire", given: ["rows": .array(rows)])
  }

  /// What the Apple SDK files under its internal error; luath knows better, or keeps the name.
  @Test(arguments: [
    ("INVALID_CREDENTIAL_OR_PROVIDER_ID", 17004), ("RESET_PASSWORD_EXCEED_LIMIT", 17010),
    ("INVALID_TEMPORARY_PROOF", 17004), ("MISSING_PASSWORD", 18104),
    ("PHONE_NUMBER_EXISTS", 17025), ("INVALID_OAUTH_CLIENT_ID", 17060),
    ("INVALID_TENANT_ID", 18107), ("MISSING_OOB_CODE", 17030), ("MISSING_REQ_TYPE", 17207),
    ("MISSING_CODE", 17043), ("MISSING_SESSION_INFO", 17045), ("MISSING_PHONE_NUMBER", 17041),
    ("MISSING_CUSTOM_TOKEN", 17000), ("MISSING_ID_TOKEN", 17017),
    ("INVALID_REFRESH_TOKEN", 17021), ("MISSING_REFRESH_TOKEN", 17999),
    ("INVALID_GRANT_TYPE", 17999), ("USER_CANCELLED", 17063), ("REJECTED_CREDENTIAL", 17075),
    ("PROJECT_DISABLED", 18106), ("CAPTCHA_REQUIRED", 17056), ("MISSING_IDENTIFIER", 17034),
    ("MISSING_REQUEST_URI", 17004), ("INVALID_REQUEST_URI", 17004), ("INVALID_CLAIMS", 18110),
    ("CONFIGURATION_NOT_FOUND", 18105), ("EMAIL_EXISTS", 17007),
    ("INSUFFICIENT_PERMISSION", 18109), ("CLAIMS_TOO_LARGE", 18110), ("FORBIDDEN_CLAIM", 18110),
    ("DUPLICATE_LOCAL_ID", 17999), ("INVALID_LOCAL_ID", 17011),
    ("INVALID_RECAPTCHA_SCORE", 17056), ("SOMETHING_NEW", 17999),
  ])
  func `a name without a code in the Apple SDK has one here`(
    _ name: String, _ number: Int
  ) throws {
    let refusal = Refusal(status: 400, message: "\(name) : words")
    #expect(refusal.code.number == number)
    #expect(refusal.rawName == name)
  }

  @Test func `keys that are refused are known by their reasons`() async throws {
    try await Flow().runScripted(program: "ErrorTable/keys")
  }

  @Test func `a blocking function's answer is decoded`() async throws {
    try await Flow().runScripted(program: "ErrorTable/blocking-function")
  }

  /// What the client finds by itself or reads out of an answer; the program provokes each.
  private static let provoked: [ErrorCode] = [
    .networkError, .accountExistsWithDifferentCredential, .providerAlreadyLinked, .noSuchProvider,
    .userMismatch, .secondFactorRequired, .missingEmail, .wrongPassword, .weakPassword,
    .webContextAlreadyPresented, .webContextCancelled, .webPageUnusable, .webStateMismatch,
    .webContextTimedOut, .webConsentDenied, .webCredentialsRefused, .webPageUnsafe,
    .webNetworkRequestFailed, .webInternalError, .invalidClientID, .webSignInUserInteractionFailure,
    .invalidCustomParameter, .invalidProviderID, .nullUser, .keychainError,
  ]

  /// Reached in suites of their own, since it takes more than one line.
  private static let elsewhere: [ErrorCode: String] = [
    .invalidAPIKey: "keys that are refused are known by their reasons",
    .appNotAuthorized: "keys that are refused are known by their reasons",
    .malformedJWT: "a token that is none is malformed",
    .webBrowserUnavailable: "a driver that is missing is told with what to install",
    .webBrowserFailed: "a browser that ends in the middle is told",
    .webRedirectUnavailable: "a port that is taken is told",
  ]

  /// What belongs to a phone, its app store or its browser's reCAPTCHA, and is never raised here.
  private static let meaningless: Set<ErrorCode> = [
    .notificationNotForwarded, .appVerificationUserInteractionFailure,
    .localPlayerNotAuthenticated, .gameKitNotLinked, .recaptchaSDKNotLinked,
    .recaptchaSiteKeyMissing, .recaptchaActionCreationFailed,
  ]

  @Test func `what the client finds by itself is told as fully`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    let rows = Self.provoked.map { JSON.array(Self.columns($0)) }
    try await Flow().run(
      program: "ErrorTable/provoked",
      given: ["issuer": .string(issuer.origin), "rows": .array(rows)])
  }

  @Test func `every code of the SDKs is reached by one of these ways`() {
    let reached = Set(ServerError.allCases.map(\.code) + Self.provoked)
      .union(Self.elsewhere.keys)
    for code in ErrorCode.allCases where code.number < 18101 {
      #expect(reached.contains(code) != Self.meaningless.contains(code), "\(code)")
    }
  }
}
