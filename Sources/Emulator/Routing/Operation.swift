/// What the backend can be asked to do, whatever path and version the request came by.
enum Operation: String, CaseIterable, Sendable {
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

  /// Whether a tenant that is switched off refuses it; what manages the tenant goes on.
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

  /// Whether an administrator manages a tenant by it, or what is registered there.
  var managesTenant: Bool {
    switch self {
    case .createTenant, .deleteTenant, .getTenant, .listTenants, .updateTenant, .createIdp,
      .deleteIdp, .getIdp, .listIdps, .updateIdp:
      true
    default: false
    }
  }
}
