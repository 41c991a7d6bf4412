/// The code by which scripts and users of the SDKs know a failed operation.
///
/// A case is named as in the Apple SDK, and its raw value is that name; the numbers, the `ERROR_…`
/// names and the Web SDK's spellings are columns of the same table. Numbers from 18101 on are
/// luath's own, for failures the SDKs have no code for. The numbers 17035, 17068 and 17074 are
/// retired and stay unused.
public enum ErrorCode: String, CaseIterable, Sendable, Hashable {
  /// The custom token is malformed or was not signed for this project.
  case invalidCustomToken
  /// The custom token was minted for another project.
  case customTokenMismatch
  /// The credential is malformed, expired, already used, or the e-mail and password do not belong
  /// together.
  case invalidCredential
  /// An administrator disabled this account.
  case userDisabled
  /// The project does not allow this way to sign in.
  case operationNotAllowed
  /// The e-mail address belongs to another account.
  case emailAlreadyInUse
  /// The e-mail address is badly formed.
  case invalidEmail
  /// The password is wrong, or the account has no password.
  case wrongPassword
  /// The backend throttles this device or account.
  case tooManyRequests
  /// There is no such account.
  case userNotFound
  /// The e-mail address already belongs to an account that signs in another way.
  case accountExistsWithDifferentCredential
  /// This change needs a sign-in that is at most a few minutes old.
  case requiresRecentLogin
  /// The user already has a credential of this provider.
  case providerAlreadyLinked
  /// The user has no credential of this provider.
  case noSuchProvider
  /// The user's token is not valid for this project.
  case invalidUserToken
  /// The request did not reach the backend.
  case networkError
  /// The user's session is no longer valid.
  case userTokenExpired
  /// The API key is missing or not valid.
  case invalidAPIKey
  /// The credential belongs to another user than the one signed in.
  case userMismatch
  /// The credential already belongs to another account.
  case credentialAlreadyInUse
  /// The password is too weak.
  case weakPassword
  /// The API key may not be used by this application.
  case appNotAuthorized
  /// The code from the e-mail has expired.
  case expiredActionCode
  /// The code from the e-mail is malformed or was used before.
  case invalidActionCode
  /// The project's e-mail template is not usable.
  case invalidMessagePayload
  /// The sender of the project's e-mail template is not valid.
  case invalidSender
  /// The recipient's e-mail address is not valid.
  case invalidRecipientEmail
  /// An e-mail address is needed.
  case missingEmail
  /// An iOS bundle identifier is needed.
  case missingIosBundleID
  /// An Android package name is needed.
  case missingAndroidPackageName
  /// The domain is not one of the project's authorized domains.
  case unauthorizedDomain
  /// The continue address is not a valid address.
  case invalidContinueURI
  /// A continue address is needed.
  case missingContinueURI
  /// A phone number is needed.
  case missingPhoneNumber
  /// The phone number is not in international form.
  case invalidPhoneNumber
  /// The verification code is empty.
  case missingVerificationCode
  /// The verification code is wrong.
  case invalidVerificationCode
  /// The verification identifier is empty.
  case missingVerificationID
  /// The verification identifier is not valid.
  case invalidVerificationID
  /// The proof of a genuine application is missing.
  case missingAppCredential
  /// The proof of a genuine application is not valid.
  case invalidAppCredential
  /// The code has expired.
  case sessionExpired
  /// The project's quota for this is used up.
  case quotaExceeded
  /// There is no push token for this application.
  case missingAppToken
  /// The push message did not reach the library.
  case notificationNotForwarded
  /// The application could not be verified by a push message.
  case appNotVerified
  /// The captcha answer is wrong, expired or was used before.
  case captchaCheckFailed
  /// Another sign-in page of this Auth is still open.
  case webContextAlreadyPresented
  /// The sign-in page was closed before the sign-in was done.
  case webContextCancelled
  /// The page that verifies the application failed.
  case appVerificationUserInteractionFailure
  /// The OAuth client identifier does not belong to this project.
  case invalidClientID
  /// The sign-in page could not reach the network.
  case webNetworkRequestFailed
  /// The sign-in page met an internal error.
  case webInternalError
  /// The identity provider ended the sign-in with an error.
  case webSignInUserInteractionFailure
  /// The local player is not signed in to Game Center.
  case localPlayerNotAuthenticated
  /// There is no user.
  case nullUser
  /// The provider id is not one this operation can use.
  case invalidProviderID
  /// The user belongs to another tenant of the project.
  case tenantIDMismatch
  /// This operation does not exist for tenants.
  case unsupportedTenantOperation
  /// The credential is malformed or does not fit the request.
  case rejectedCredential
  /// Game Center is not available.
  case gameKitNotLinked
  /// The account has a second factor, which the sign-in still needs.
  case secondFactorRequired
  /// The proof of the first factor is missing.
  case missingMultiFactorSession
  /// The identifier of the second factor is missing.
  case missingMultiFactorInfo
  /// The proof of the first factor is not valid.
  case invalidMultiFactorSession
  /// The account has no such second factor.
  case multiFactorInfoNotFound
  /// Only administrators may do this in this project.
  case adminRestrictedOperation
  /// The account's e-mail address must be verified first.
  case unverifiedEmail
  /// The account already has this second factor.
  case secondFactorAlreadyEnrolled
  /// The account has as many second factors as are allowed.
  case maximumSecondFactorCountExceeded
  /// Second factors cannot be used with this way to sign in.
  case unsupportedFirstFactor
  /// An account with a second factor must verify its new e-mail address first.
  case emailChangeNeedsVerification
  /// The request for a code carries no proof of its sender.
  case missingClientIdentifier
  /// The raw nonce is missing, or its SHA-256 is not the nonce of the ID token.
  case missingOrInvalidNonce
  /// A blocking function of the project refused the operation.
  case blockingCloudFunctionError
  /// ReCAPTCHA Enterprise is not enabled in this project.
  case recaptchaNotEnabled
  /// The backend asks for a reCAPTCHA token.
  case missingRecaptchaToken
  /// The reCAPTCHA token is not valid.
  case invalidRecaptchaToken
  /// The reCAPTCHA token was made for another action.
  case invalidRecaptchaAction
  /// The request does not name its kind of client.
  case missingClientType
  /// The request does not name its reCAPTCHA version.
  case missingRecaptchaVersion
  /// The reCAPTCHA version is not known.
  case invalidRecaptchaVersion
  /// The backend does not know this kind of request.
  case invalidReqType
  /// The native reCAPTCHA library is not available.
  case recaptchaSDKNotLinked
  /// The project has no reCAPTCHA site key.
  case recaptchaSiteKeyMissing
  /// The reCAPTCHA action could not be made.
  case recaptchaActionCreationFailed
  /// The password does not meet the project's password policy.
  case passwordDoesNotMeetRequirements
  /// The link domain is not a hosting domain of the project.
  case invalidHostingLinkDomain
  /// The session could not be stored on this machine.
  case keychainError
  /// The backend answered with something that has no error code of its own.
  case internalError
  /// The ID token cannot be decoded.
  case malformedJWT
  /// The final address does not belong to the sign-in that was started.
  case webStateMismatch
  /// The sign-in page did not finish in time.
  case webContextTimedOut
  /// The delegate cannot go on with this sign-in page.
  case webPageUnusable
  /// A password is needed.
  case missingPassword
  /// Authentication was never enabled in this project.
  case configurationNotFound
  /// Authentication is switched off in this project or tenant.
  case projectDisabled
  /// The project has no such tenant.
  case invalidTenantID
  /// A custom parameter of the provider cannot be sent.
  case invalidCustomParameter
  /// This request is for administrators.
  case insufficientPermission
  /// The service account's key cannot be used.
  case invalidServiceAccount
  /// An account with this uid exists already.
  case uidAlreadyExists
  /// The phone number belongs to another account.
  case phoneNumberAlreadyExists
  /// A value given to the call cannot be sent.
  case invalidArgument
  /// The custom claims are malformed, too large or use a reserved name.
  case invalidClaims
  /// The backend does not implement this request.
  case notImplemented
  /// The project's password policy is written in a way this version does not know.
  case unsupportedPasswordPolicySchemaVersion
  /// The ID token has expired.
  case idTokenExpired
  /// The ID token is of a session that was ended.
  case idTokenRevoked
  /// The ID token was not issued by the backend for this project.
  case invalidIDToken
  /// The session cookie has expired.
  case sessionCookieExpired
  /// The session cookie is of a session that was ended.
  case sessionCookieRevoked
  /// The session cookie was not issued by the backend for this project.
  case invalidSessionCookie
  /// A session cookie cannot live that long, or that short.
  case invalidSessionCookieDuration
  /// The keys that tokens are signed with cannot be read.
  case certificateFetchFailed
  /// The provider configuration is there already.
  case configurationExists
  /// The provider's configuration lacks something, or has something wrong.
  case invalidProviderConfiguration
  /// The person, or the provider for them, denied what the page asked for.
  case webConsentDenied
  /// The identity provider's page does not accept the user name or password.
  case webCredentialsRefused
  /// The page is not one that may be given a password.
  case webPageUnsafe
  /// No browser could be started to show the page.
  case webBrowserUnavailable
  /// The browser ended, or stopped to answer, while the page was open.
  case webBrowserFailed
  /// The redirect address on this machine cannot be listened at.
  case webRedirectUnavailable
  /// The page's button to deny was pressed, and the provider signed the person in all the same.
  case webDenialIgnored
  /// The provider asks for a login during a sign-out.
  case webLoginAtSignOut
  /// The provider shows a page although `prompt=none` asked for none.
  case webPageDespitePromptNone
  /// The provider does not know the redirect address of the request.
  case webRedirectNotRegistered
  /// The call would change a project that this run may only read.
  case changeNotAllowed

  /// Finds the code of a number, such as 17012.
  public init?(number: Int) {
    guard let code = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = code
  }
}
