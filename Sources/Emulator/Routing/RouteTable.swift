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

/// The paths of Identity Toolkit and Secure Token, as Google's API description lists them.
///
/// `METHOD PATH MESSAGE OPERATION [NAME]`: in a path `*` is one id, as a message `-` means no body. Firebase's emulator
/// lacks an operation with a plus; this emulator also lacks one that is `-`. Their responses need the name.
enum RouteTable {
  static let secureToken = "POST v1/token GrantTokenRequest token"

  static let identityToolkit = """
    POST v1/accounts:createAuthUri CreateAuthUriRequest createAuthUri
    POST v1/accounts:delete DeleteAccountRequest delete
    POST v1/accounts:issueSamlResponse IssueSamlResponseRequest - accounts.issueSamlResponse
    POST v1/accounts:lookup GetAccountInfoRequest lookup
    POST v1/accounts:resetPassword ResetPasswordRequest resetPassword
    POST v1/accounts:sendOobCode GetOobCodeRequest sendOobCode
    POST v1/accounts:sendVerificationCode SendVerificationCodeRequest sendVerificationCode
    POST v1/accounts:signInWithCustomToken SignInWithCustomTokenRequest signInWithCustomToken
    POST v1/accounts:signInWithEmailLink SignInWithEmailLinkRequest signInWithEmailLink
    POST v1/accounts:signInWithGameCenter SignInWithGameCenterRequest - accounts.signInWithGameCenter
    POST v1/accounts:signInWithIdp SignInWithIdpRequest signInWithIdp
    POST v1/accounts:signInWithPassword SignInWithPasswordRequest signInWithPassword
    POST v1/accounts:signInWithPhoneNumber SignInWithPhoneNumberRequest signInWithPhoneNumber
    POST v1/accounts:signUp SignUpRequest signUp
    POST v1/accounts:update SetAccountInfoRequest update
    POST v1/accounts:verifyIosClient VerifyIosClientRequest - accounts.verifyIosClient
    POST v1/projects/*/accounts SignUpRequest signUp
    POST v1/projects/*:createSessionCookie CreateSessionCookieRequest createSessionCookie
    POST v1/projects/*:queryAccounts QueryUserInfoRequest query
    POST v1/projects/*/accounts:batchCreate UploadAccountRequest batchCreate
    POST v1/projects/*/accounts:batchDelete BatchDeleteAccountsRequest batchDelete
    GET v1/projects/*/accounts:batchGet - batchGet
    POST v1/projects/*/accounts:delete DeleteAccountRequest delete
    POST v1/projects/*/accounts:lookup GetAccountInfoRequest lookup
    POST v1/projects/*/accounts:query QueryUserInfoRequest query
    POST v1/projects/*/accounts:sendOobCode GetOobCodeRequest sendOobCode
    POST v1/projects/*/accounts:update SetAccountInfoRequest update
    POST v1/projects/*/tenants/*/accounts SignUpRequest signUp
    POST v1/projects/*/tenants/*:createSessionCookie CreateSessionCookieRequest createSessionCookie
    POST v1/projects/*/tenants/*/accounts:batchCreate UploadAccountRequest batchCreate
    POST v1/projects/*/tenants/*/accounts:batchDelete BatchDeleteAccountsRequest batchDelete
    GET v1/projects/*/tenants/*/accounts:batchGet - batchGet
    POST v1/projects/*/tenants/*/accounts:delete DeleteAccountRequest delete
    POST v1/projects/*/tenants/*/accounts:lookup GetAccountInfoRequest lookup
    POST v1/projects/*/tenants/*/accounts:query QueryUserInfoRequest query
    POST v1/projects/*/tenants/*/accounts:sendOobCode GetOobCodeRequest sendOobCode
    POST v1/projects/*/tenants/*/accounts:update SetAccountInfoRequest update
    GET v1/projects - projectInfo
    GET v1/recaptchaParams - recaptchaParams
    GET v1/sessionCookiePublicKeys - +sessionCookieKeys getSessionCookiePublicKeys
    POST v2/accounts:revokeToken RevokeTokenRequest +revokeToken accounts.revokeToken
    POST v2/accounts/mfaEnrollment:finalize FinalizeMfaEnrollmentRequest finalizeMFAEnrollment
    POST v2/accounts/mfaEnrollment:start StartMfaEnrollmentRequest startMFAEnrollment
    POST v2/accounts/mfaEnrollment:withdraw WithdrawMfaRequest withdrawMFA
    POST v2/accounts/mfaSignIn:finalize FinalizeMfaSignInRequest finalizeMFASignIn
    POST v2/accounts/mfaSignIn:start StartMfaSignInRequest startMFASignIn
    GET v2/defaultSupportedIdps - +supportedIdps defaultSupportedIdps.list
    GET v2/projects/*/config - getConfig
    PATCH v2/projects/*/config AdminConfig updateConfig
    POST v2/projects/*/defaultSupportedIdpConfigs AdminDefaultSupportedIdpConfig +createIdp projects.defaultSupportedIdpConfigs.create
    GET v2/projects/*/defaultSupportedIdpConfigs - +listIdps projects.defaultSupportedIdpConfigs.list
    DELETE v2/projects/*/defaultSupportedIdpConfigs/* - +deleteIdp projects.defaultSupportedIdpConfigs.delete
    GET v2/projects/*/defaultSupportedIdpConfigs/* - +getIdp projects.defaultSupportedIdpConfigs.get
    PATCH v2/projects/*/defaultSupportedIdpConfigs/* AdminDefaultSupportedIdpConfig +updateIdp projects.defaultSupportedIdpConfigs.patch
    POST v2/projects/*/identityPlatform:initializeAuth AdminInitializeIdentityPlatformRequest +initializeAuth projects.identityPlatform.initializeAuth
    POST v2/projects/*/inboundSamlConfigs AdminInboundSamlConfig +createIdp projects.inboundSamlConfigs.create
    GET v2/projects/*/inboundSamlConfigs - +listIdps projects.inboundSamlConfigs.list
    DELETE v2/projects/*/inboundSamlConfigs/* - +deleteIdp projects.inboundSamlConfigs.delete
    GET v2/projects/*/inboundSamlConfigs/* - +getIdp projects.inboundSamlConfigs.get
    PATCH v2/projects/*/inboundSamlConfigs/* AdminInboundSamlConfig +updateIdp projects.inboundSamlConfigs.patch
    POST v2/projects/*/oauthIdpConfigs AdminOAuthIdpConfig +createIdp projects.oauthIdpConfigs.create
    GET v2/projects/*/oauthIdpConfigs - +listIdps projects.oauthIdpConfigs.list
    DELETE v2/projects/*/oauthIdpConfigs/* - +deleteIdp projects.oauthIdpConfigs.delete
    GET v2/projects/*/oauthIdpConfigs/* - +getIdp projects.oauthIdpConfigs.get
    PATCH v2/projects/*/oauthIdpConfigs/* AdminOAuthIdpConfig +updateIdp projects.oauthIdpConfigs.patch
    POST v2/projects/*/tenants AdminTenant createTenant
    GET v2/projects/*/tenants - listTenants
    DELETE v2/projects/*/tenants/* - deleteTenant
    GET v2/projects/*/tenants/* - getTenant
    PATCH v2/projects/*/tenants/* AdminTenant updateTenant
    POST v2/projects/*/tenants/*:getIamPolicy IamGetIamPolicyRequest - projects.tenants.getIamPolicy
    POST v2/projects/*/tenants/*:setIamPolicy IamSetIamPolicyRequest - projects.tenants.setIamPolicy
    POST v2/projects/*/tenants/*:testIamPermissions IamTestIamPermissionsRequest - projects.tenants.testIamPermissions
    POST v2/projects/*/tenants/*/defaultSupportedIdpConfigs AdminDefaultSupportedIdpConfig +createIdp projects.tenants.defaultSupportedIdpConfigs.create
    GET v2/projects/*/tenants/*/defaultSupportedIdpConfigs - +listIdps projects.tenants.defaultSupportedIdpConfigs.list
    DELETE v2/projects/*/tenants/*/defaultSupportedIdpConfigs/* - +deleteIdp projects.tenants.defaultSupportedIdpConfigs.delete
    GET v2/projects/*/tenants/*/defaultSupportedIdpConfigs/* - +getIdp projects.tenants.defaultSupportedIdpConfigs.get
    PATCH v2/projects/*/tenants/*/defaultSupportedIdpConfigs/* AdminDefaultSupportedIdpConfig +updateIdp projects.tenants.defaultSupportedIdpConfigs.patch
    POST v2/projects/*/tenants/*/inboundSamlConfigs AdminInboundSamlConfig +createIdp projects.tenants.inboundSamlConfigs.create
    GET v2/projects/*/tenants/*/inboundSamlConfigs - +listIdps projects.tenants.inboundSamlConfigs.list
    DELETE v2/projects/*/tenants/*/inboundSamlConfigs/* - +deleteIdp projects.tenants.inboundSamlConfigs.delete
    GET v2/projects/*/tenants/*/inboundSamlConfigs/* - +getIdp projects.tenants.inboundSamlConfigs.get
    PATCH v2/projects/*/tenants/*/inboundSamlConfigs/* AdminInboundSamlConfig +updateIdp projects.tenants.inboundSamlConfigs.patch
    POST v2/projects/*/tenants/*/oauthIdpConfigs AdminOAuthIdpConfig +createIdp projects.tenants.oauthIdpConfigs.create
    GET v2/projects/*/tenants/*/oauthIdpConfigs - +listIdps projects.tenants.oauthIdpConfigs.list
    DELETE v2/projects/*/tenants/*/oauthIdpConfigs/* - +deleteIdp projects.tenants.oauthIdpConfigs.delete
    GET v2/projects/*/tenants/*/oauthIdpConfigs/* - +getIdp projects.tenants.oauthIdpConfigs.get
    PATCH v2/projects/*/tenants/*/oauthIdpConfigs/* AdminOAuthIdpConfig +updateIdp projects.tenants.oauthIdpConfigs.patch
    GET v2/passwordPolicy - +passwordPolicy getPasswordPolicy
    GET v2/recaptchaConfig - +recaptchaConfig getRecaptchaConfig
    POST v2/accounts/passkeyEnrollment:start StartPasskeyEnrollmentRequest startPasskeyEnrollment
    POST v2/accounts/passkeyEnrollment:finalize FinalizePasskeyEnrollmentRequest finalizePasskeyEnrollment
    POST v2/accounts/passkeySignIn:start StartPasskeySignInRequest startPasskeySignIn
    POST v2/accounts/passkeySignIn:finalize FinalizePasskeySignInRequest finalizePasskeySignIn
    """
}

extension Substring {
  /// The parts of a table's text between separators, without empty ones.
  ///
  /// It compares bytes, which takes a fraction of the time that `split` takes to find characters.
  func parts(at separator: Unicode.Scalar) -> [Substring] {
    utf8.split(separator: UInt8(ascii: separator)).map { Substring($0) }
  }
}
