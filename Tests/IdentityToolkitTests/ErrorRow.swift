@testable import IdentityToolkit
import Testing

/// One line of the SDKs' table of error codes, written down apart from the sources.
struct ErrorRow: Sendable, CustomTestStringConvertible {
  let number: Int
  let code: ErrorCode
  let name: String
  let webName: String
  let wireNames: [String]

  init(_ number: Int, _ code: ErrorCode, _ name: String, _ webName: String, _ wire: String...) {
    self.number = number
    self.code = code
    self.name = name
    self.webName = webName
    self.wireNames = wire
  }

  var testDescription: String { "\(number) \(code)" }

  static let all: [ErrorRow] = [
    ErrorRow(
      17000, .invalidCustomToken, "ERROR_INVALID_CUSTOM_TOKEN",
      "invalid-custom-token", "INVALID_CUSTOM_TOKEN"),
    ErrorRow(
      17002, .customTokenMismatch, "ERROR_CUSTOM_TOKEN_MISMATCH",
      "custom-token-mismatch", "CREDENTIAL_MISMATCH"),
    ErrorRow(
      17004, .invalidCredential, "ERROR_INVALID_CREDENTIAL",
      "invalid-credential", "INVALID_IDP_RESPONSE", "INVALID_PENDING_TOKEN",
      "INVALID_LOGIN_CREDENTIALS"),
    ErrorRow(17005, .userDisabled, "ERROR_USER_DISABLED", "user-disabled", "USER_DISABLED"),
    ErrorRow(
      17006, .operationNotAllowed, "ERROR_OPERATION_NOT_ALLOWED",
      "operation-not-allowed", "OPERATION_NOT_ALLOWED", "PASSWORD_LOGIN_DISABLED"),
    ErrorRow(
      17007, .emailAlreadyInUse, "ERROR_EMAIL_ALREADY_IN_USE",
      "email-already-in-use", "EMAIL_EXISTS"),
    ErrorRow(
      17008, .invalidEmail, "ERROR_INVALID_EMAIL",
      "invalid-email", "INVALID_EMAIL", "INVALID_IDENTIFIER"),
    ErrorRow(17009, .wrongPassword, "ERROR_WRONG_PASSWORD", "wrong-password", "INVALID_PASSWORD"),
    ErrorRow(
      17010, .tooManyRequests, "ERROR_TOO_MANY_REQUESTS",
      "too-many-requests", "TOO_MANY_ATTEMPTS_TRY_LATER"),
    ErrorRow(
      17011, .userNotFound, "ERROR_USER_NOT_FOUND",
      "user-not-found", "USER_NOT_FOUND", "EMAIL_NOT_FOUND"),
    ErrorRow(
      17012, .accountExistsWithDifferentCredential,
      "ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL",
      "account-exists-with-different-credential"),
    ErrorRow(
      17014, .requiresRecentLogin, "ERROR_REQUIRES_RECENT_LOGIN",
      "requires-recent-login", "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"),
    ErrorRow(
      17015, .providerAlreadyLinked, "ERROR_PROVIDER_ALREADY_LINKED", "provider-already-linked"),
    ErrorRow(17016, .noSuchProvider, "ERROR_NO_SUCH_PROVIDER", "no-such-provider"),
    ErrorRow(
      17017, .invalidUserToken, "ERROR_INVALID_USER_TOKEN",
      "invalid-user-token", "INVALID_ID_TOKEN"),
    ErrorRow(17020, .networkError, "ERROR_NETWORK_REQUEST_FAILED", "network-request-failed"),
    ErrorRow(
      17021, .userTokenExpired, "ERROR_USER_TOKEN_EXPIRED", "user-token-expired", "TOKEN_EXPIRED"),
    ErrorRow(17023, .invalidAPIKey, "ERROR_INVALID_API_KEY", "invalid-api-key"),
    ErrorRow(17024, .userMismatch, "ERROR_USER_MISMATCH", "user-mismatch"),
    ErrorRow(
      17025, .credentialAlreadyInUse, "ERROR_CREDENTIAL_ALREADY_IN_USE",
      "credential-already-in-use", "FEDERATED_USER_ID_ALREADY_LINKED"),
    ErrorRow(17026, .weakPassword, "ERROR_WEAK_PASSWORD", "weak-password", "WEAK_PASSWORD"),
    ErrorRow(17028, .appNotAuthorized, "ERROR_APP_NOT_AUTHORIZED", "app-not-authorized"),
    ErrorRow(
      17029, .expiredActionCode, "ERROR_EXPIRED_ACTION_CODE",
      "expired-action-code", "EXPIRED_OOB_CODE"),
    ErrorRow(
      17030, .invalidActionCode, "ERROR_INVALID_ACTION_CODE",
      "invalid-action-code", "INVALID_OOB_CODE"),
    ErrorRow(
      17031, .invalidMessagePayload, "ERROR_INVALID_MESSAGE_PAYLOAD",
      "invalid-message-payload", "INVALID_MESSAGE_PAYLOAD"),
    ErrorRow(17032, .invalidSender, "ERROR_INVALID_SENDER", "invalid-sender", "INVALID_SENDER"),
    ErrorRow(
      17033, .invalidRecipientEmail, "ERROR_INVALID_RECIPIENT_EMAIL",
      "invalid-recipient-email", "INVALID_RECIPIENT_EMAIL"),
    ErrorRow(17034, .missingEmail, "ERROR_MISSING_EMAIL", "missing-email", "MISSING_EMAIL"),
    ErrorRow(
      17036, .missingIosBundleID, "ERROR_MISSING_IOS_BUNDLE_ID",
      "missing-ios-bundle-id", "MISSING_IOS_BUNDLE_ID"),
    ErrorRow(
      17037, .missingAndroidPackageName, "ERROR_MISSING_ANDROID_PKG_NAME",
      "missing-android-pkg-name", "MISSING_ANDROID_PACKAGE_NAME"),
    ErrorRow(
      17038, .unauthorizedDomain, "ERROR_UNAUTHORIZED_DOMAIN",
      "unauthorized-domain", "UNAUTHORIZED_DOMAIN"),
    ErrorRow(
      17039, .invalidContinueURI, "ERROR_INVALID_CONTINUE_URI",
      "invalid-continue-uri", "INVALID_CONTINUE_URI"),
    ErrorRow(
      17040, .missingContinueURI, "ERROR_MISSING_CONTINUE_URI",
      "missing-continue-uri", "MISSING_CONTINUE_URI"),
    ErrorRow(17041, .missingPhoneNumber, "ERROR_MISSING_PHONE_NUMBER", "missing-phone-number"),
    ErrorRow(
      17042, .invalidPhoneNumber, "ERROR_INVALID_PHONE_NUMBER",
      "invalid-phone-number", "INVALID_PHONE_NUMBER"),
    ErrorRow(
      17043, .missingVerificationCode, "ERROR_MISSING_VERIFICATION_CODE",
      "missing-verification-code"),
    ErrorRow(
      17044, .invalidVerificationCode, "ERROR_INVALID_VERIFICATION_CODE",
      "invalid-verification-code", "INVALID_CODE"),
    ErrorRow(
      17045, .missingVerificationID, "ERROR_MISSING_VERIFICATION_ID", "missing-verification-id"),
    ErrorRow(
      17046, .invalidVerificationID, "ERROR_INVALID_VERIFICATION_ID",
      "invalid-verification-id", "INVALID_SESSION_INFO"),
    ErrorRow(
      17047, .missingAppCredential, "MISSING_APP_CREDENTIAL",
      "missing-app-credential", "MISSING_APP_CREDENTIAL"),
    ErrorRow(
      17048, .invalidAppCredential, "INVALID_APP_CREDENTIAL",
      "invalid-app-credential", "INVALID_APP_CREDENTIAL"),
    ErrorRow(17051, .sessionExpired, "ERROR_SESSION_EXPIRED", "code-expired", "SESSION_EXPIRED"),
    ErrorRow(17052, .quotaExceeded, "ERROR_QUOTA_EXCEEDED", "quota-exceeded", "QUOTA_EXCEEDED"),
    ErrorRow(
      17053, .missingAppToken, "ERROR_MISSING_APP_TOKEN",
      "missing-app-token", "MISSING_IOS_APP_TOKEN"),
    ErrorRow(
      17054, .notificationNotForwarded, "ERROR_NOTIFICATION_NOT_FORWARDED",
      "notification-not-forwarded"),
    ErrorRow(
      17055, .appNotVerified, "ERROR_APP_NOT_VERIFIED", "app-not-verified", "APP_NOT_VERIFIED"),
    ErrorRow(
      17056, .captchaCheckFailed, "ERROR_CAPTCHA_CHECK_FAILED",
      "captcha-check-failed", "CAPTCHA_CHECK_FAILED"),
    ErrorRow(
      17057, .webContextAlreadyPresented, "ERROR_WEB_CONTEXT_ALREADY_PRESENTED",
      "cancelled-popup-request"),
    ErrorRow(17058, .webContextCancelled, "ERROR_WEB_CONTEXT_CANCELLED", "popup-closed-by-user"),
    ErrorRow(
      17059, .appVerificationUserInteractionFailure, "ERROR_APP_VERIFICATION_FAILED",
      "app-verification-user-interaction-failure"),
    ErrorRow(17060, .invalidClientID, "ERROR_INVALID_CLIENT_ID", "invalid-oauth-client-id"),
    ErrorRow(
      17061, .webNetworkRequestFailed, "ERROR_WEB_NETWORK_REQUEST_FAILED",
      "web-network-request-failed"),
    ErrorRow(17062, .webInternalError, "ERROR_WEB_INTERNAL_ERROR", "web-internal-error"),
    ErrorRow(
      17063, .webSignInUserInteractionFailure, "ERROR_WEB_USER_INTERACTION_FAILURE",
      "web-sign-in-user-interaction-failure"),
    ErrorRow(
      17066, .localPlayerNotAuthenticated, "ERROR_LOCAL_PLAYER_NOT_AUTHENTICATED",
      "local-player-not-authenticated"),
    ErrorRow(17067, .nullUser, "ERROR_NULL_USER", "null-user"),
    ErrorRow(
      17071, .invalidProviderID, "ERROR_INVALID_PROVIDER_ID",
      "invalid-provider-id", "INVALID_PROVIDER_ID"),
    ErrorRow(
      17072, .tenantIDMismatch, "ERROR_TENANT_ID_MISMATCH",
      "tenant-id-mismatch", "TENANT_ID_MISMATCH"),
    ErrorRow(
      17073, .unsupportedTenantOperation, "ERROR_UNSUPPORTED_TENANT_OPERATION",
      "unsupported-tenant-operation", "UNSUPPORTED_TENANT_OPERATION"),
    ErrorRow(
      17075, .rejectedCredential, "ERROR_REJECTED_CREDENTIAL",
      "rejected-credential", "REJECTED_CREDENTIAL"),
    ErrorRow(17076, .gameKitNotLinked, "ERROR_GAME_KIT_NOT_LINKED", "game-kit-not-linked"),
    ErrorRow(
      17078, .secondFactorRequired, "ERROR_SECOND_FACTOR_REQUIRED", "multi-factor-auth-required"),
    ErrorRow(
      17081, .missingMultiFactorSession, "ERROR_MISSING_MULTI_FACTOR_SESSION",
      "missing-multi-factor-session", "MISSING_MFA_PENDING_CREDENTIAL"),
    ErrorRow(
      17082, .missingMultiFactorInfo, "ERROR_MISSING_MULTI_FACTOR_INFO",
      "missing-multi-factor-info", "MISSING_MFA_ENROLLMENT_ID"),
    ErrorRow(
      17083, .invalidMultiFactorSession, "ERROR_INVALID_MULTI_FACTOR_SESSION",
      "invalid-multi-factor-session", "INVALID_MFA_PENDING_CREDENTIAL"),
    ErrorRow(
      17084, .multiFactorInfoNotFound, "ERROR_MULTI_FACTOR_INFO_NOT_FOUND",
      "multi-factor-info-not-found", "MFA_ENROLLMENT_NOT_FOUND"),
    ErrorRow(
      17085, .adminRestrictedOperation, "ERROR_ADMIN_RESTRICTED_OPERATION",
      "admin-restricted-operation", "ADMIN_ONLY_OPERATION"),
    ErrorRow(
      17086, .unverifiedEmail, "ERROR_UNVERIFIED_EMAIL", "unverified-email", "UNVERIFIED_EMAIL"),
    ErrorRow(
      17087, .secondFactorAlreadyEnrolled, "ERROR_SECOND_FACTOR_ALREADY_ENROLLED",
      "second-factor-already-in-use", "SECOND_FACTOR_EXISTS"),
    ErrorRow(
      17088, .maximumSecondFactorCountExceeded, "ERROR_MAXIMUM_SECOND_FACTOR_COUNT_EXCEEDED",
      "maximum-second-factor-count-exceeded", "SECOND_FACTOR_LIMIT_EXCEEDED"),
    ErrorRow(
      17089, .unsupportedFirstFactor, "ERROR_UNSUPPORTED_FIRST_FACTOR",
      "unsupported-first-factor", "UNSUPPORTED_FIRST_FACTOR"),
    ErrorRow(
      17090, .emailChangeNeedsVerification, "ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION",
      "email-change-needs-verification", "EMAIL_CHANGE_NEEDS_VERIFICATION"),
    ErrorRow(
      17093, .missingClientIdentifier, "ERROR_MISSING_CLIENT_IDENTIFIER",
      "missing-client-identifier", "MISSING_CLIENT_IDENTIFIER"),
    ErrorRow(
      17094, .missingOrInvalidNonce, "ERROR_MISSING_OR_INVALID_NONCE",
      "missing-or-invalid-nonce", "MISSING_OR_INVALID_NONCE"),
    ErrorRow(
      17105, .blockingCloudFunctionError, "ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR",
      "internal-error", "BLOCKING_FUNCTION_ERROR_RESPONSE"),
    ErrorRow(
      17200, .recaptchaNotEnabled, "ERROR_RECAPTCHA_NOT_ENABLED",
      "recaptcha-not-enabled", "RECAPTCHA_NOT_ENABLED"),
    ErrorRow(
      17201, .missingRecaptchaToken, "ERROR_MISSING_RECAPTCHA_TOKEN",
      "missing-recaptcha-token", "MISSING_RECAPTCHA_TOKEN"),
    ErrorRow(
      17202, .invalidRecaptchaToken, "ERROR_INVALID_RECAPTCHA_TOKEN",
      "invalid-recaptcha-token", "INVALID_RECAPTCHA_TOKEN"),
    ErrorRow(
      17203, .invalidRecaptchaAction, "ERROR_INVALID_RECAPTCHA_ACTION",
      "invalid-recaptcha-action", "INVALID_RECAPTCHA_ACTION"),
    ErrorRow(
      17204, .missingClientType, "ERROR_MISSING_CLIENT_TYPE",
      "missing-client-type", "MISSING_CLIENT_TYPE"),
    ErrorRow(
      17205, .missingRecaptchaVersion, "ERROR_MISSING_RECAPTCHA_VERSION",
      "missing-recaptcha-version", "MISSING_RECAPTCHA_VERSION"),
    ErrorRow(
      17206, .invalidRecaptchaVersion, "ERROR_INVALID_RECAPTCHA_VERSION",
      "invalid-recaptcha-version", "INVALID_RECAPTCHA_VERSION"),
    ErrorRow(
      17207, .invalidReqType, "ERROR_INVALID_REQ_TYPE", "invalid-req-type", "INVALID_REQ_TYPE"),
    ErrorRow(
      17208, .recaptchaSDKNotLinked, "ERROR_RECAPTCHA_SDK_NOT_LINKED", "recaptcha-sdk-not-linked"),
    ErrorRow(
      17209, .recaptchaSiteKeyMissing, "ERROR_RECAPTCHA_SITE_KEY_MISSING",
      "recaptcha-site-key-missing"),
    ErrorRow(
      17210, .recaptchaActionCreationFailed, "ERROR_RECAPTCHA_ACTION_CREATION_FAILED",
      "recaptcha-action-creation-failed"),
    ErrorRow(
      17211, .passwordDoesNotMeetRequirements, "ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS",
      "password-does-not-meet-requirements", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"),
    ErrorRow(
      17214, .invalidHostingLinkDomain, "ERROR_INVALID_HOSTING_LINK_DOMAIN",
      "invalid-hosting-link-domain", "INVALID_HOSTING_LINK_DOMAIN"),
    ErrorRow(17995, .keychainError, "ERROR_KEYCHAIN_ERROR", "keychain-error"),
    ErrorRow(17999, .internalError, "ERROR_INTERNAL_ERROR", "internal-error"),
    ErrorRow(18000, .malformedJWT, "ERROR_MALFORMED_JWT", "malformed-jwt"),
  ]
}
