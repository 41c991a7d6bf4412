/// The operations of the backend, whatever path and API version a request used.
enum APIOperation: String, CaseIterable, Sendable {
  case batchCreate, batchDelete, batchGet
  case createAuthUri
  case createIdp, deleteIdp, getIdp, listIdps, updateIdp, supportedIdps
  case createSessionCookie
  case createTenant, deleteTenant, getTenant, listTenants, updateTenant
  case delete
  case finalizeMFAEnrollment, finalizeMFASignIn, startMFAEnrollment, startMFASignIn, withdrawMFA
  case finalizePasskeyEnrollment, finalizePasskeySignIn, startPasskeyEnrollment, startPasskeySignIn
  case getConfig, updateConfig
  case initializeAuth
  case lookup
  case passwordPolicy
  case projectInfo
  case query
  case recaptchaConfig, recaptchaParams
  case resetPassword
  case revokeToken
  case sendOobCode
  case sendVerificationCode
  case sessionCookieKeys
  case signInWithCustomToken
  case signInWithEmailLink
  case signInWithIdp
  case signInWithPassword
  case signInWithPhoneNumber
  case signUp
  case token
  case update

  /// Whether a disabled tenant refuses the operation; those that manage the tenant still work.
  func needsOpenTenant(_ rules: Rules) -> Bool {
    switch self {
    case .batchDelete, .createSessionCookie, .token: rules[.googleAnswers]
    case .createTenant, .deleteTenant, .getTenant, .listTenants, .updateTenant,
      .getConfig, .updateConfig, .initializeAuth,
      .createIdp, .deleteIdp, .getIdp, .listIdps, .updateIdp, .supportedIdps:
      false
    default: true
    }
  }

  /// Whether the operation manages a tenant or its registered providers.
  var managesTenant: Bool {
    switch self {
    case .createTenant, .deleteTenant, .getTenant, .listTenants, .updateTenant, .createIdp,
      .deleteIdp, .getIdp, .listIdps, .updateIdp:
      true
    default: false
    }
  }
}
