/// An error name of the Identity Toolkit backend.
///
/// The emulator throws these and the client parses them, so that each name is defined once.
public enum ServerError: String, CaseIterable, Sendable, Hashable {
  // Credentials
  case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
  case missingCustomToken = "MISSING_CUSTOM_TOKEN"
  case credentialMismatch = "CREDENTIAL_MISMATCH"
  case invalidIdPResponse = "INVALID_IDP_RESPONSE"
  case invalidPendingToken = "INVALID_PENDING_TOKEN"
  case invalidLoginCredentials = "INVALID_LOGIN_CREDENTIALS"
  case invalidCredentialOrProviderID = "INVALID_CREDENTIAL_OR_PROVIDER_ID"
  case invalidTemporaryProof = "INVALID_TEMPORARY_PROOF"
  case missingRequestURI = "MISSING_REQUEST_URI"
  case invalidRequestURI = "INVALID_REQUEST_URI"
  case rejectedCredential = "REJECTED_CREDENTIAL"
  case missingOrInvalidNonce = "MISSING_OR_INVALID_NONCE"
  case invalidPassword = "INVALID_PASSWORD"
  case missingPassword = "MISSING_PASSWORD"
  case weakPassword = "WEAK_PASSWORD"
  case passwordDoesNotMeetRequirements = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
  case invalidOAuthClientID = "INVALID_OAUTH_CLIENT_ID"
  case invalidProviderID = "INVALID_PROVIDER_ID"
  case missingProviderID = "MISSING_PROVIDER_ID"
  case userCancelled = "USER_CANCELLED"

  // Accounts
  case userDisabled = "USER_DISABLED"
  case userNotFound = "USER_NOT_FOUND"
  case emailNotFound = "EMAIL_NOT_FOUND"
  case invalidLocalID = "INVALID_LOCAL_ID"
  case emailExists = "EMAIL_EXISTS"
  case federatedUserIDAlreadyLinked = "FEDERATED_USER_ID_ALREADY_LINKED"
  case providerAlreadyLinked = "PROVIDER_ALREADY_LINKED"
  case credentialAlreadyInUse = "CREDENTIAL_ALREADY_IN_USE"
  case phoneNumberExists = "PHONE_NUMBER_EXISTS"
  case unverifiedEmail = "UNVERIFIED_EMAIL"
  case emailChangeNeedsVerification = "EMAIL_CHANGE_NEEDS_VERIFICATION"
  case invalidProfileAttribute = "INVALID_PROFILE_ATTRIBUTE"

  // E-mail addresses
  case invalidEmail = "INVALID_EMAIL"
  case invalidIdentifier = "INVALID_IDENTIFIER"
  case missingEmail = "MISSING_EMAIL"
  case missingNewEmail = "MISSING_NEW_EMAIL"
  case invalidNewEmail = "INVALID_NEW_EMAIL"
  case missingIdentifier = "MISSING_IDENTIFIER"
  case invalidRecipientEmail = "INVALID_RECIPIENT_EMAIL"
  case invalidSender = "INVALID_SENDER"
  case invalidMessagePayload = "INVALID_MESSAGE_PAYLOAD"

  // Sessions
  case invalidIDToken = "INVALID_ID_TOKEN"
  case missingIDToken = "MISSING_ID_TOKEN"
  case tokenExpired = "TOKEN_EXPIRED"
  case invalidRefreshToken = "INVALID_REFRESH_TOKEN"
  case missingRefreshToken = "MISSING_REFRESH_TOKEN"
  case invalidGrantType = "INVALID_GRANT_TYPE"
  case missingGrantType = "MISSING_GRANT_TYPE"
  case projectNumberMismatch = "PROJECT_NUMBER_MISMATCH"
  case credentialTooOldLoginAgain = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"

  // Project settings
  case operationNotAllowed = "OPERATION_NOT_ALLOWED"
  case passwordLoginDisabled = "PASSWORD_LOGIN_DISABLED"
  case adminOnlyOperation = "ADMIN_ONLY_OPERATION"
  case insufficientPermission = "INSUFFICIENT_PERMISSION"
  case permissionDenied = "PERMISSION_DENIED"
  case configurationNotFound = "CONFIGURATION_NOT_FOUND"
  case projectDisabled = "PROJECT_DISABLED"
  case invalidProjectID = "INVALID_PROJECT_ID"
  case unauthorizedDomain = "UNAUTHORIZED_DOMAIN"
  case invalidContinueURI = "INVALID_CONTINUE_URI"
  case missingContinueURI = "MISSING_CONTINUE_URI"
  case invalidHostingLinkDomain = "INVALID_HOSTING_LINK_DOMAIN"
  case blockingFunctionErrorResponse = "BLOCKING_FUNCTION_ERROR_RESPONSE"
  case invalidTenantID = "INVALID_TENANT_ID"
  case tenantNotFound = "TENANT_NOT_FOUND"
  case tenantDeleted = "TENANT_DELETED"
  case tenantDisabled = "TENANT_DISABLED"
  case tenantIDMismatch = "TENANT_ID_MISMATCH"
  case unsupportedTenantOperation = "UNSUPPORTED_TENANT_OPERATION"
  case tooManyAttemptsTryLater = "TOO_MANY_ATTEMPTS_TRY_LATER"
  case resetPasswordExceedLimit = "RESET_PASSWORD_EXCEED_LIMIT"
  case quotaExceeded = "QUOTA_EXCEEDED"

  // Action codes
  case expiredOOBCode = "EXPIRED_OOB_CODE"
  case invalidOOBCode = "INVALID_OOB_CODE"
  case missingOOBCode = "MISSING_OOB_CODE"
  case missingIOSBundleID = "MISSING_IOS_BUNDLE_ID"
  case missingAndroidPackageName = "MISSING_ANDROID_PACKAGE_NAME"
  case invalidReqType = "INVALID_REQ_TYPE"
  case missingReqType = "MISSING_REQ_TYPE"

  // Phone numbers
  case invalidPhoneNumber = "INVALID_PHONE_NUMBER"
  case missingPhoneNumber = "MISSING_PHONE_NUMBER"
  case invalidCode = "INVALID_CODE"
  case missingCode = "MISSING_CODE"
  case invalidSessionInfo = "INVALID_SESSION_INFO"
  case missingSessionInfo = "MISSING_SESSION_INFO"
  case sessionExpired = "SESSION_EXPIRED"
  case missingAppCredential = "MISSING_APP_CREDENTIAL"
  case invalidAppCredential = "INVALID_APP_CREDENTIAL"
  case missingIOSAppToken = "MISSING_IOS_APP_TOKEN"
  case appNotVerified = "APP_NOT_VERIFIED"
  case missingClientIdentifier = "MISSING_CLIENT_IDENTIFIER"

  // Captchas
  case captchaCheckFailed = "CAPTCHA_CHECK_FAILED"
  case captchaRequired = "CAPTCHA_REQUIRED"
  case invalidRecaptchaScore = "INVALID_RECAPTCHA_SCORE"
  case recaptchaNotEnabled = "RECAPTCHA_NOT_ENABLED"
  case missingRecaptchaToken = "MISSING_RECAPTCHA_TOKEN"
  case invalidRecaptchaToken = "INVALID_RECAPTCHA_TOKEN"
  case invalidRecaptchaAction = "INVALID_RECAPTCHA_ACTION"
  case missingClientType = "MISSING_CLIENT_TYPE"
  case missingRecaptchaVersion = "MISSING_RECAPTCHA_VERSION"
  case invalidRecaptchaVersion = "INVALID_RECAPTCHA_VERSION"

  // Second factors
  case missingMFAPendingCredential = "MISSING_MFA_PENDING_CREDENTIAL"
  case invalidMFAPendingCredential = "INVALID_MFA_PENDING_CREDENTIAL"
  case missingMFAEnrollmentID = "MISSING_MFA_ENROLLMENT_ID"
  case invalidMFAEnrollmentID = "INVALID_MFA_ENROLLMENT_ID"
  case mfaEnrollmentNotFound = "MFA_ENROLLMENT_NOT_FOUND"
  case invalidMFAPhoneNumber = "INVALID_MFA_PHONE_NUMBER"
  case secondFactorExists = "SECOND_FACTOR_EXISTS"
  case secondFactorLimitExceeded = "SECOND_FACTOR_LIMIT_EXCEEDED"
  case duplicateMFAEnrollmentID = "DUPLICATE_MFA_ENROLLMENT_ID"
  case unsupportedFirstFactor = "UNSUPPORTED_FIRST_FACTOR"
  case unsupportedSecondFactor = "UNSUPPORTED_SECOND_FACTOR"
  case missingDisplayName = "MISSING_DISPLAY_NAME"
  case tooManyEnrollmentAttempts = "TOO_MANY_ENROLLMENT_ATTEMPTS"
  case totpChallengeTimeout = "TOTP_CHALLENGE_TIMEOUT"

  // Administration
  case invalidClaims = "INVALID_CLAIMS"
  case claimsTooLarge = "CLAIMS_TOO_LARGE"
  case forbiddenClaim = "FORBIDDEN_CLAIM"
  case duplicateLocalID = "DUPLICATE_LOCAL_ID"
  case duplicateEmail = "DUPLICATE_EMAIL"
  case duplicateRawID = "DUPLICATE_RAW_ID"
  case missingLocalID = "MISSING_LOCAL_ID"
  case missingRawID = "MISSING_RAW_ID"
  case missingUserAccount = "MISSING_USER_ACCOUNT"
  case localIDListExceedsLimit = "LOCAL_ID_LIST_EXCEEDS_LIMIT"
  case invalidDuration = "INVALID_DURATION"
  case unexpectedParameter = "UNEXPECTED_PARAMETER"
  case notDisabled = "NOT_DISABLED"
  case configurationExists = "CONFIGURATION_EXISTS"
  case invalidConfig = "INVALID_CONFIG"
  case invalidConfigID = "INVALID_CONFIG_ID"
  case invalidIssuer = "INVALID_ISSUER"
  case missingIssuer = "MISSING_ISSUER"
  case missingOAuthClientID = "MISSING_OAUTH_CLIENT_ID"
  case missingOAuthClientSecret = "MISSING_OAUTH_CLIENT_SECRET"
  case invalidOAuthResponseType = "INVALID_OAUTH_RESPONSETYPE"
  case missingSAMLRelyingPartyConfig = "MISSING_SAML_RELYING_PARTY_CONFIG"

  // Any Google API
  case invalidArgument = "INVALID_ARGUMENT"
  case notFound = "NOT_FOUND"
  case unauthenticated = "UNAUTHENTICATED"
  case notImplemented = "NOT_IMPLEMENTED"
  case unimplemented = "UNIMPLEMENTED"
  case internalFailure = "INTERNAL"
  case internalError = "INTERNAL_ERROR"
  case unavailable = "UNAVAILABLE"
  case deadlineExceeded = "DEADLINE_EXCEEDED"
  case resourceExhausted = "RESOURCE_EXHAUSTED"
  case dynamicLinkNotActivated = "DYNAMIC_LINK_NOT_ACTIVATED"
  case invalidDynamicLinkDomain = "INVALID_DYNAMIC_LINK_DOMAIN"

  /// The error code for scripts and SDK users.
  ///
  /// For names that the Apple SDK does not map, the Web SDK's code or the closest one is used.
  /// Errors that only administrators can get stay internal errors with their own name.
  public var code: ErrorCode {
    switch self {
    case .invalidCustomToken, .missingCustomToken: .invalidCustomToken
    case .credentialMismatch: .customTokenMismatch
    case .invalidIdPResponse, .invalidPendingToken, .invalidLoginCredentials,
      .invalidCredentialOrProviderID, .invalidTemporaryProof, .missingRequestURI,
      .invalidRequestURI:
      .invalidCredential
    case .rejectedCredential: .rejectedCredential
    case .missingOrInvalidNonce: .missingOrInvalidNonce
    case .invalidPassword: .wrongPassword
    case .missingPassword: .missingPassword
    case .weakPassword: .weakPassword
    case .passwordDoesNotMeetRequirements: .passwordDoesNotMeetRequirements
    case .invalidOAuthClientID: .invalidClientID
    case .invalidProviderID, .missingProviderID: .invalidProviderID
    case .userCancelled: .webSignInUserInteractionFailure
    case .userDisabled: .userDisabled
    case .userNotFound, .emailNotFound, .invalidLocalID: .userNotFound
    case .emailExists, .duplicateEmail: .emailAlreadyInUse
    case .federatedUserIDAlreadyLinked, .credentialAlreadyInUse, .phoneNumberExists,
      .duplicateRawID:
      .credentialAlreadyInUse
    case .providerAlreadyLinked: .providerAlreadyLinked
    case .unverifiedEmail: .unverifiedEmail
    case .emailChangeNeedsVerification: .emailChangeNeedsVerification
    case .invalidEmail, .invalidNewEmail, .invalidIdentifier: .invalidEmail
    case .missingEmail, .missingNewEmail, .missingIdentifier: .missingEmail
    case .invalidRecipientEmail: .invalidRecipientEmail
    case .invalidSender: .invalidSender
    case .invalidMessagePayload: .invalidMessagePayload
    case .invalidIDToken, .missingIDToken, .projectNumberMismatch: .invalidUserToken
    case .tokenExpired, .invalidRefreshToken: .userTokenExpired
    case .missingRefreshToken, .invalidGrantType, .missingGrantType, .duplicateMFAEnrollmentID,
      .duplicateLocalID, .missingLocalID, .missingRawID, .missingUserAccount,
      .localIDListExceedsLimit, .unexpectedParameter, .notDisabled, .invalidProfileAttribute,
      .invalidArgument, .notFound, .internalFailure, .internalError, .dynamicLinkNotActivated,
      .invalidDynamicLinkDomain, .unsupportedSecondFactor:
      .internalError
    case .missingDisplayName: .invalidArgument
    case .credentialTooOldLoginAgain: .requiresRecentLogin
    case .operationNotAllowed, .passwordLoginDisabled: .operationNotAllowed
    case .adminOnlyOperation: .adminRestrictedOperation
    case .insufficientPermission, .permissionDenied, .unauthenticated: .insufficientPermission
    case .configurationNotFound, .invalidProjectID: .configurationNotFound
    case .projectDisabled, .tenantDisabled: .projectDisabled
    case .unauthorizedDomain: .unauthorizedDomain
    case .invalidContinueURI: .invalidContinueURI
    case .missingContinueURI: .missingContinueURI
    case .invalidHostingLinkDomain: .invalidHostingLinkDomain
    case .blockingFunctionErrorResponse: .blockingCloudFunctionError
    case .invalidTenantID, .tenantNotFound, .tenantDeleted: .invalidTenantID
    case .tenantIDMismatch: .tenantIDMismatch
    case .unsupportedTenantOperation: .unsupportedTenantOperation
    case .tooManyAttemptsTryLater, .resetPasswordExceedLimit: .tooManyRequests
    case .quotaExceeded, .resourceExhausted: .quotaExceeded
    case .expiredOOBCode: .expiredActionCode
    case .invalidOOBCode, .missingOOBCode: .invalidActionCode
    case .missingIOSBundleID: .missingIosBundleID
    case .missingAndroidPackageName: .missingAndroidPackageName
    case .invalidReqType, .missingReqType: .invalidReqType
    case .invalidPhoneNumber, .invalidMFAPhoneNumber: .invalidPhoneNumber
    case .missingPhoneNumber: .missingPhoneNumber
    case .invalidCode: .invalidVerificationCode
    case .missingCode: .missingVerificationCode
    case .invalidSessionInfo: .invalidVerificationID
    case .missingSessionInfo: .missingVerificationID
    case .sessionExpired, .tooManyEnrollmentAttempts: .sessionExpired
    case .missingAppCredential: .missingAppCredential
    case .invalidAppCredential: .invalidAppCredential
    case .missingIOSAppToken: .missingAppToken
    case .appNotVerified: .appNotVerified
    case .missingClientIdentifier: .missingClientIdentifier
    case .captchaCheckFailed, .captchaRequired, .invalidRecaptchaScore: .captchaCheckFailed
    case .recaptchaNotEnabled: .recaptchaNotEnabled
    case .missingRecaptchaToken: .missingRecaptchaToken
    case .invalidRecaptchaToken: .invalidRecaptchaToken
    case .invalidRecaptchaAction: .invalidRecaptchaAction
    case .missingClientType: .missingClientType
    case .missingRecaptchaVersion: .missingRecaptchaVersion
    case .invalidRecaptchaVersion: .invalidRecaptchaVersion
    case .missingMFAPendingCredential: .missingMultiFactorSession
    case .invalidMFAPendingCredential, .totpChallengeTimeout: .invalidMultiFactorSession
    case .missingMFAEnrollmentID: .missingMultiFactorInfo
    case .invalidMFAEnrollmentID, .mfaEnrollmentNotFound: .multiFactorInfoNotFound
    case .secondFactorExists: .secondFactorAlreadyEnrolled
    case .secondFactorLimitExceeded: .maximumSecondFactorCountExceeded
    case .unsupportedFirstFactor: .unsupportedFirstFactor
    case .invalidClaims, .claimsTooLarge, .forbiddenClaim: .invalidClaims
    case .invalidDuration: .invalidSessionCookieDuration
    case .configurationExists: .configurationExists
    case .invalidConfig, .invalidConfigID, .invalidIssuer, .missingIssuer, .missingOAuthClientID,
      .missingOAuthClientSecret, .invalidOAuthResponseType, .missingSAMLRelyingPartyConfig:
      .invalidProviderConfiguration
    case .notImplemented, .unimplemented: .notImplemented
    case .unavailable, .deadlineExceeded: .networkError
    }
  }
}
