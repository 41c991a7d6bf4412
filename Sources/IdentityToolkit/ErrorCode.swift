/// The code of a failed operation, for scripts and users of the SDKs.
///
/// A case has the name of the Apple SDK, and its raw value is that name. Numbers from 18101 on are
/// luath's own, for failures without a code in the SDKs. The numbers 17035, 17068 and 17074 are
/// retired and must stay unused. `row` has the details of each code.
public enum ErrorCode: String, CaseIterable, Sendable, Hashable {
  case invalidCustomToken, customTokenMismatch, invalidCredential, userDisabled, operationNotAllowed
  case emailAlreadyInUse, invalidEmail, wrongPassword, tooManyRequests, userNotFound
  case accountExistsWithDifferentCredential, requiresRecentLogin, providerAlreadyLinked
  case noSuchProvider, invalidUserToken, networkError, userTokenExpired, invalidAPIKey, userMismatch
  case credentialAlreadyInUse, weakPassword, appNotAuthorized, expiredActionCode, invalidActionCode
  case invalidMessagePayload, invalidSender, invalidRecipientEmail, missingEmail, missingIosBundleID
  case missingAndroidPackageName, unauthorizedDomain, invalidContinueURI, missingContinueURI
  case missingPhoneNumber, invalidPhoneNumber, missingVerificationCode, invalidVerificationCode
  case missingVerificationID, invalidVerificationID, missingAppCredential, invalidAppCredential
  case sessionExpired, quotaExceeded, missingAppToken, notificationNotForwarded, appNotVerified
  case captchaCheckFailed, webContextAlreadyPresented, webContextCancelled
  case appVerificationUserInteractionFailure, invalidClientID, webNetworkRequestFailed
  case webInternalError, webSignInUserInteractionFailure, localPlayerNotAuthenticated, nullUser
  case invalidProviderID, tenantIDMismatch, unsupportedTenantOperation, rejectedCredential
  case gameKitNotLinked, secondFactorRequired, missingMultiFactorSession, missingMultiFactorInfo
  case invalidMultiFactorSession, multiFactorInfoNotFound, adminRestrictedOperation, unverifiedEmail
  case secondFactorAlreadyEnrolled, maximumSecondFactorCountExceeded, unsupportedFirstFactor
  case emailChangeNeedsVerification, missingClientIdentifier, missingOrInvalidNonce
  case blockingCloudFunctionError, recaptchaNotEnabled, missingRecaptchaToken, invalidRecaptchaToken
  case invalidRecaptchaAction, missingClientType, missingRecaptchaVersion, invalidRecaptchaVersion
  case invalidReqType, recaptchaSDKNotLinked, recaptchaSiteKeyMissing, recaptchaActionCreationFailed
  case passwordDoesNotMeetRequirements, invalidHostingLinkDomain, keychainError, internalError
  case malformedJWT

  // luath's own
  case webStateMismatch, webContextTimedOut, webPageUnusable, missingPassword, configurationNotFound
  case projectDisabled, invalidTenantID, invalidCustomParameter, insufficientPermission
  case invalidServiceAccount, uidAlreadyExists, phoneNumberAlreadyExists, invalidArgument
  case invalidClaims, notImplemented, unsupportedPasswordPolicySchemaVersion, idTokenExpired
  case idTokenRevoked, invalidIDToken, sessionCookieExpired, sessionCookieRevoked
  case invalidSessionCookie, invalidSessionCookieDuration, certificateFetchFailed
  case configurationExists, invalidProviderConfiguration, webConsentDenied, webCredentialsRefused
  case webPageUnsafe, webBrowserUnavailable, webBrowserFailed, webRedirectUnavailable
  case webDenialIgnored, webLoginAtSignOut, webPageDespitePromptNone, webRedirectNotRegistered
  case changeNotAllowed

  /// The number in the Apple SDK, or luath's own from 18101 on.
  public var number: Int { row.number }

  /// The upper-case name in the Apple SDK.
  ///
  /// Two of the SDK's names lack the usual prefix, and so do ours.
  public var name: String { row.name ?? "ERROR_\(words(joinedBy: "_"))".uppercased() }

  /// The code in the Web SDK.
  ///
  /// Codes that the Web SDK does not have are spelled the same way.
  public var webCode: String { row.web ?? "auth/\(words(joinedBy: "-"))".lowercased() }

  /// The default message, used when the backend sends none.
  public var summary: String { row.summary }

  /// The hint for a script's author, in one sentence, with Lua names.
  public var hint: String { row.hint }

  /// Splits the case name into words: `invalid-API-key` for `invalidAPIKey`.
  private func words(joinedBy separator: Character) -> String {
    var words = ""
    for index in rawValue.indices {
      let next = rawValue.index(after: index)
      let isCapital = rawValue[index].isUppercase
      // The last of several capitals begins the next word.
      let beginsWord = next < rawValue.endIndex && rawValue[next].isLowercase
      if isCapital, words.last?.isLowercase == true || beginsWord { words.append(separator) }
      words.append(rawValue[index])
    }
    return words
  }
}
