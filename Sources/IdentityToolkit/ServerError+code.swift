extension ServerError {
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
