/// A remote procedure of the backend APIs, with its path.
///
/// The client builds its URLs from these, and the emulator uses them for routing.
public enum Endpoint: String, CaseIterable, Sendable, Hashable {
  case signInWithIdp
  case createAuthUri
  case signUp
  case signInWithPassword
  case signInWithEmailLink
  case signInWithCustomToken
  case lookup
  case update
  case delete
  case sendOobCode
  case resetPassword
  case sendVerificationCode
  case signInWithPhoneNumber
  case verifyIosClient
  case signInWithGameCenter
  case getProjectConfig
  case getRecaptchaParam
  case getRecaptchaConfig
  case getPasswordPolicy
  case revokeToken
  case startMfaEnrollment
  case finalizeMfaEnrollment
  case withdrawMfaEnrollment
  case startMfaSignIn
  case finalizeMfaSignIn
  case token

  /// The API an endpoint belongs to.
  public enum Service: String, CaseIterable, Sendable, Hashable {
    case identityToolkit = "identitytoolkit.googleapis.com"
    case secureToken = "securetoken.googleapis.com"

    /// The production host, which an emulator has as first path segment.
    public var host: String { rawValue }
  }

  /// The API this endpoint belongs to.
  public var service: Service { self == .token ? .secureToken : .identityToolkit }

  /// The path on the service's host, with the version and without a leading slash.
  public var path: String {
    switch self {
    case .signInWithIdp, .createAuthUri, .signUp, .signInWithPassword, .signInWithEmailLink,
      .signInWithCustomToken, .lookup, .update, .delete, .sendOobCode, .resetPassword,
      .sendVerificationCode, .signInWithPhoneNumber, .verifyIosClient, .signInWithGameCenter:
      "v1/accounts:\(rawValue)"
    case .getProjectConfig: "v1/projects"
    case .getRecaptchaParam: "v1/recaptchaParams"
    case .getRecaptchaConfig: "v2/recaptchaConfig"
    case .getPasswordPolicy: "v2/passwordPolicy"
    case .revokeToken: "v2/accounts:revokeToken"
    case .startMfaEnrollment: "v2/accounts/mfaEnrollment:start"
    case .finalizeMfaEnrollment: "v2/accounts/mfaEnrollment:finalize"
    case .withdrawMfaEnrollment: "v2/accounts/mfaEnrollment:withdraw"
    case .startMfaSignIn: "v2/accounts/mfaSignIn:start"
    case .finalizeMfaSignIn: "v2/accounts/mfaSignIn:finalize"
    case .token: "v1/token"
    }
  }

  /// The HTTP method.
  var method: String {
    switch self {
    case .getProjectConfig, .getRecaptchaParam, .getRecaptchaConfig, .getPasswordPolicy: "GET"
    default: "POST"
    }
  }

  /// The last path segment in the legacy API, which the Apple SDK still calls.
  ///
  /// Nil for endpoints that are newer than that API.
  public var legacyVerb: String? {
    switch self {
    case .signInWithIdp: "verifyAssertion"
    case .createAuthUri: "createAuthUri"
    case .signUp: "signupNewUser"
    case .signInWithPassword: "verifyPassword"
    case .signInWithEmailLink: "emailLinkSignin"
    case .signInWithCustomToken: "verifyCustomToken"
    case .lookup: "getAccountInfo"
    case .update: "setAccountInfo"
    case .delete: "deleteAccount"
    case .sendOobCode: "getOobConfirmationCode"
    case .resetPassword: "resetPassword"
    case .sendVerificationCode: "sendVerificationCode"
    case .signInWithPhoneNumber: "verifyPhoneNumber"
    case .verifyIosClient: "verifyClient"
    case .signInWithGameCenter: "signInWithGameCenter"
    case .getProjectConfig: "getProjectConfig"
    case .getRecaptchaParam: "getRecaptchaParam"
    default: nil
    }
  }

  /// Whether the body contains the caller's tenant.
  ///
  /// The exceptions contain a token that belongs to a tenant, or serve all tenants.
  public var namesTenant: Bool {
    switch self {
    case .lookup, .delete, .revokeToken, .verifyIosClient, .token: false
    default: true
    }
  }
}
