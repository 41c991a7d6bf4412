/// The code by which scripts and users of the SDKs know a failed operation.
///
/// A case is named as in the Apple SDK, and its raw value is that name. Numbers from 18101 on are
/// luath's own, for failures the SDKs have no code for. The numbers 17035, 17068 and 17074 are
/// retired and stay unused. `row` has what is known about each code.
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

  /// The number the Apple SDK gives this code, or luath's own from 18101 on.
  public var number: Int { row.number }

  /// The upper-case name the Apple SDK files this code under.
  ///
  /// Two of the SDK's names lack the usual prefix, and so do ours.
  public var name: String { row.name ?? "ERROR_\(words(joinedBy: "_"))".uppercased() }

  /// The Web SDK's spelling of this code.
  ///
  /// Where that SDK has none, the case name is spelled its way.
  public var webCode: String { row.web ?? "auth/\(words(joinedBy: "-"))".lowercased() }

  /// What happened, in a clause that stands in for the backend's message when it sends none.
  public var summary: String { row.summary }

  /// What a script's author does next, in one sentence that uses the Lua spelling.
  public var hint: String { row.hint }

  /// The words of the case name: `invalid-API-key` for `invalidAPIKey`.
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
