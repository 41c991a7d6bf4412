import System

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

  /// The effect of a call on the project.
  enum Effect: Sendable, Equatable {
    /// It does not change the project.
    case reads
    /// It does not change the project unless the body has one of these fields.
    case readsWithout(Set<String>)
    /// It creates, changes or deletes something, sends an e-mail or an SMS, or uses up a code.
    case changes
  }

  /// The effect of a call on the project.
  ///
  /// A sign-in changes the project, because it stores the time of the sign-in and may create an account.
  var effect: Effect {
    switch self {
    case .getProjectConfig, .getRecaptchaParam, .getRecaptchaConfig, .getPasswordPolicy, .lookup,
      .token, .createAuthUri:
      .reads
    // Without a password it only checks the code. Google's servers accept both spellings.
    case .resetPassword: .readsWithout(["newPassword", "new_password"])
    case .signInWithIdp, .signUp, .signInWithPassword, .signInWithEmailLink,
      .signInWithCustomToken, .update, .delete, .sendOobCode, .sendVerificationCode,
      .signInWithPhoneNumber, .verifyIosClient, .signInWithGameCenter, .revokeToken,
      .startMfaEnrollment, .finalizeMfaEnrollment, .withdrawMfaEnrollment, .startMfaSignIn,
      .finalizeMfaSignIn:
      .changes
    }
  }

  /// Whether a call with this body may be sent twice without harm.
  ///
  /// Only reading and renewing may. A second sign-up would create another account, a second sign-in
  /// would use up a credential or a password attempt, a second e-mail would reach the user.
  func isRepeatable(_ body: JSONObject) -> Bool {
    // With a provider it begins a sign-in.
    if self == .createAuthUri { return body["providerId"] == nil }
    return switch effect {
    case .reads: true
    case .readsWithout(let fields): fields.allSatisfy { body[$0] == nil }
    case .changes: false
    }
  }

  /// Finds an endpoint by the last segment of its path, or by its legacy verb.
  init?(lastSegment name: String) {
    guard
      let endpoint = Self.allCases.first(where: {
        $0.path.split(separator: "/").last == name[...] || $0.legacyVerb == name
      })
    else { return nil }
    self = endpoint
  }
}
