extension ErrorCode {
  /// The texts and numbers of an error code.
  struct Row {
    let number: Int
    let summary: String
    /// The name in the Apple SDK; nil when it follows from the case name.
    let name: String?
    /// The name in the Web SDK; nil when it follows from the case name.
    let web: String?
    let hint: String

    init(
      _ number: Int, _ summary: String, name: String? = nil, web: String? = nil, hint: String
    ) {
      self.number = number
      self.summary = summary
      self.name = name
      self.web = web
      self.hint = hint
    }
  }

  // Formatted by hand: the formatter would add a line to each row.
  // swift-format-ignore
  var row: Row {
    switch self {
    case .invalidCustomToken: Row(17000,
      "the custom token is malformed or was not signed for this project",
      hint: "mint a new custom token with the project's own service account and sign in with it "
        + "within the hour")
    case .customTokenMismatch: Row(17002, "the custom token was minted for another project",
      hint: "mint the custom token with a service account of the project this target names")
    case .invalidCredential: Row(17004,
      "the credential is malformed, expired, already used, or the e-mail and password do not "
        + "belong together",
      hint: "get a fresh credential with provider:getCredential(), or check the e-mail and the "
        + "password, and call auth:signIn again")
    case .userDisabled: Row(17005, "an administrator disabled this account",
      hint: "enable the account in the project, or sign in as someone else")
    case .operationNotAllowed: Row(17006, "the project does not allow this sign-in method",
      hint: "enable the provider in the project's configuration, then try again")
    case .emailAlreadyInUse: Row(17007, "the e-mail address belongs to another account",
      hint: "sign in to that account with auth:signIn, then call user:link with "
        + "err.pendingCredential if the error carries one")
    case .invalidEmail: Row(17008, "the e-mail address is badly formed",
      hint: "pass an address of the form name@host")
    case .wrongPassword: Row(17009, "the password is wrong, or the account has no password",
      hint: "check the password, or see auth:fetchProviders(email) for the account's "
        + "sign-in methods")
    case .tooManyRequests: Row(17010, "the backend throttles this device or account",
      hint: "wait a while and try again with fewer requests")
    case .userNotFound: Row(17011, "there is no such account",
      hint: "check the address or identifier, or create the account with auth:createUser")
    case .accountExistsWithDifferentCredential: Row(17012,
      "the e-mail address already belongs to an account with another sign-in method",
      hint: "sign in with a provider of err.verifiedProviders, or with the password or an e-mail "
        + "link when that is empty; then call auth.currentUser:link(err.pendingCredential)")
    case .requiresRecentLogin: Row(17014,
      "this change needs a sign-in that is at most a few minutes old",
      hint: "call user:reauthenticate(credential) with a fresh credential, then repeat the change")
    case .providerAlreadyLinked: Row(17015, "the user already has a credential of this provider",
      hint: "call user:unlink(providerID) first if the credential is to be replaced")
    case .noSuchProvider: Row(17016, "the user has no credential of this provider",
      hint: "check user.providerData for the providers that can be unlinked")
    case .invalidUserToken: Row(17017, "the user's token is not valid for this project",
      hint: "sign in again with auth:signIn")
    case .networkError: Row(17020, "the request did not reach the backend",
      name: "ERROR_NETWORK_REQUEST_FAILED", web: "auth/network-request-failed",
      hint: "check that the target's address is right and reachable, then try again")
    case .userTokenExpired: Row(17021, "the user's session is no longer valid",
      hint: "sign in again with auth:signIn")
    case .invalidAPIKey: Row(17023, "the API key is missing or not valid",
      hint: "put the project's web API key into the target's apiKey")
    case .userMismatch: Row(17024, "the credential belongs to another user than the one signed in",
      hint: "reauthenticate with a credential of the current user, or use auth:signIn to switch "
        + "users")
    case .credentialAlreadyInUse: Row(17025, "the credential already belongs to another account",
      hint: "call auth:signIn(err.pendingCredential) to use that account, or unlink it there first")
    case .weakPassword: Row(17026, "the password is too weak",
      hint: "choose a password of at least six characters")
    case .appNotAuthorized: Row(17028, "the API key may not be used by this application",
      hint: "send the identity the key is restricted to in the target's headers, or use a key "
        + "without that restriction")
    case .expiredActionCode: Row(17029, "the code from the e-mail has expired",
      hint: "send a new e-mail, with the call that sent the first one, and use its code in time")
    case .invalidActionCode: Row(17030, "the code from the e-mail is malformed or was used before",
      hint: "send a new e-mail, with the call that sent the first one, and use its code once")
    case .invalidMessagePayload: Row(17031, "the project's e-mail template is not usable",
      hint: "correct the e-mail template in the project's configuration")
    case .invalidSender: Row(17032, "the sender of the project's e-mail template is not valid",
      hint: "correct the sender of the e-mail template in the project's configuration")
    case .invalidRecipientEmail: Row(17033, "the recipient's e-mail address is not valid",
      hint: "pass the address of an existing account, to which mail can go")
    case .missingEmail: Row(17034, "an e-mail address is needed",
      hint: "pass the e-mail address as a non-empty string")
    case .missingIosBundleID: Row(17036, "an iOS bundle identifier is needed",
      hint: "name the app in the settings' iOSBundleID")
    case .missingAndroidPackageName: Row(17037, "an Android package name is needed",
      name: "ERROR_MISSING_ANDROID_PKG_NAME", web: "auth/missing-android-pkg-name",
      hint: "name the app in androidPackageName, together with the settings' other Android fields")
    case .unauthorizedDomain: Row(17038,
      "the domain is not one of the project's authorized domains",
      hint: "add the domain to authorizedDomains in the project's configuration, or use one that "
        + "is there")
    case .invalidContinueURI: Row(17039, "the continue address is not a valid address",
      hint: "pass an absolute http or https address, in url when it is for an e-mail")
    case .missingContinueURI: Row(17040, "a continue address is needed",
      hint: "pass an absolute http or https address to continue at, in url when it is for an "
        + "e-mail")
    case .missingPhoneNumber: Row(17041, "a phone number is needed",
      hint: "pass the phone number with its country code, such as +15555550100")
    case .invalidPhoneNumber: Row(17042, "the phone number is not in international form",
      hint: "write the phone number with a plus sign and its country code, such as +15555550100")
    case .missingVerificationCode: Row(17043, "the verification code is empty",
      hint: "pass the code from the message")
    case .invalidVerificationCode: Row(17044, "the verification code is wrong",
      hint: "pass the newest code, or ask for another")
    case .missingVerificationID: Row(17045, "the verification identifier is empty",
      hint: "pass the identifier that the request for the code returned")
    case .invalidVerificationID: Row(17046, "the verification identifier is not valid",
      hint: "ask for a new code and use its identifier")
    case .missingAppCredential: Row(17047, "the proof of a genuine application is missing",
      name: "MISSING_APP_CREDENTIAL",
      hint: "use a fictional test number of the project, or pass the option recaptchaToken")
    case .invalidAppCredential: Row(17048, "the proof of a genuine application is not valid",
      name: "INVALID_APP_CREDENTIAL",
      hint: "pass a new reCAPTCHA token as the option recaptchaToken; each is valid for one "
        + "SMS")
    case .sessionExpired: Row(17051, "the code has expired",
      web: "auth/code-expired",
      hint: "ask for a new code with verifyPhoneNumber; each works once")
    case .quotaExceeded: Row(17052, "the project's quota for this is used up",
      hint: "wait until the quota renews, or raise it in the project")
    case .missingAppToken: Row(17053, "there is no push token for this application",
      hint: "use another verification method; push messages do not exist on this platform")
    case .notificationNotForwarded: Row(17054, "the push message did not reach the library",
      hint: "use another verification method; push messages do not exist on this platform")
    case .appNotVerified: Row(17055, "the application could not be verified by a push message",
      hint: "use another verification method; push messages do not exist on this platform")
    case .captchaCheckFailed: Row(17056, "the captcha response is wrong, expired or was used before",
      hint: "set auth.recaptchaToken, or the option recaptchaToken of messages, to a new token, "
        + "or switch the check off for this project")
    case .webContextAlreadyPresented: Row(17057, "another sign-in page of this Auth is still open",
      web: "auth/cancelled-popup-request",
      hint: "wait until the first provider:getCredential returns, or use a second Auth")
    case .webContextCancelled: Row(17058, "the sign-in page was closed before the sign-in was done",
      web: "auth/popup-closed-by-user",
      hint: "call provider:getCredential again and finish the page")
    case .appVerificationUserInteractionFailure: Row(17059,
      "the page that verifies the application failed",
      name: "ERROR_APP_VERIFICATION_FAILED",
      hint: "open the page again and finish it")
    case .invalidClientID: Row(17060, "the OAuth client identifier does not belong to this project",
      web: "auth/invalid-oauth-client-id",
      hint: "correct the provider's client identifier in the project's configuration")
    case .webNetworkRequestFailed: Row(17061, "the sign-in page could not reach the network",
      hint: "check the connection to the identity provider and call provider:getCredential again")
    case .webInternalError: Row(17062, "the sign-in page had an internal error",
      hint: "call provider:getCredential again")
    case .webSignInUserInteractionFailure: Row(17063,
      "the identity provider ended the sign-in with an error",
      name: "ERROR_WEB_USER_INTERACTION_FAILURE",
      hint: "read the provider's message, correct scopes, custom parameters or "
        + "consent, and call provider:getCredential again")
    case .localPlayerNotAuthenticated: Row(17066,
      "the local player is not signed in to Game Center",
      hint: "use another provider; Game Center does not exist on this platform")
    case .nullUser: Row(17067, "there is no user",
      hint: "sign in with auth:signIn first")
    case .invalidProviderID: Row(17071, "the provider id is not one this operation can use",
      hint: "use an id such as microsoft.com, yahoo.com, google.com or oidc.NAME")
    case .tenantIDMismatch: Row(17072, "the user belongs to another tenant of the project",
      hint: "set auth.tenantID to the tenant of the user")
    case .unsupportedTenantOperation: Row(17073, "this operation does not exist for tenants",
      hint: "set auth.tenantID to nil for this call")
    case .rejectedCredential: Row(17075, "the credential is malformed or does not fit the request",
      hint: "get a fresh credential with provider:getCredential()")
    case .gameKitNotLinked: Row(17076, "Game Center is not available",
      hint: "use another provider; Game Center does not exist on this platform")
    case .secondFactorRequired: Row(17078,
      "the account has a second factor, which the sign-in still needs",
      web: "auth/multi-factor-auth-required",
      hint: "finish with err.resolver:resolveSignIn(assertion), by one of the factors in "
        + "err.resolver.hints")
    case .missingMultiFactorSession: Row(17081, "the proof of the first factor is missing",
      hint: "sign in with the first factor again")
    case .missingMultiFactorInfo: Row(17082, "the identifier of the second factor is missing",
      hint: "pass a factor of user.multiFactor.enrolledFactors, or of err.resolver.hints")
    case .invalidMultiFactorSession: Row(17083, "the proof of the first factor is not valid",
      hint: "sign in with the first factor again, for a new err.resolver")
    case .multiFactorInfoNotFound: Row(17084, "the account has no such second factor",
      hint: "pass a factor of user.multiFactor.enrolledFactors, or of err.resolver.hints")
    case .adminRestrictedOperation: Row(17085, "only administrators may do this in this project",
      hint: "allow sign-up or deletion for end users in the project's configuration, and for "
        + "signInAnonymously the anonymous provider")
    case .unverifiedEmail: Row(17086, "the account's e-mail address must be verified first",
      hint: "verify the e-mail address, which user:sendEmailVerification() begins, then try again")
    case .secondFactorAlreadyEnrolled: Row(17087, "the account already has this second factor",
      web: "auth/second-factor-already-in-use",
      hint: "use the enrolled factor, or remove it first with user.multiFactor:unenroll(factor)")
    case .maximumSecondFactorCountExceeded: Row(17088,
      "the account has as many second factors as are allowed",
      hint: "remove one of the factors first with user.multiFactor:unenroll(factor)")
    case .unsupportedFirstFactor: Row(17089,
      "second factors cannot be used with this sign-in method",
      hint: "sign in with a password, a link or an identity provider; a phone number is either a "
        + "first or a second factor")
    case .emailChangeNeedsVerification: Row(17090,
      "an account with a second factor must verify its new e-mail address first",
      hint: "change it with user:sendEmailVerificationBeforeUpdatingEmail(email), and use the "
        + "link in the e-mail")
    case .missingClientIdentifier: Row(17093,
      "the request for a code carries no proof of its sender",
      hint: "use a fictional test number of the project, or pass the option recaptchaToken")
    case .missingOrInvalidNonce: Row(17094,
      "the raw nonce is missing, or its SHA-256 is not the nonce of the ID token",
      hint: "send the lower-case hex SHA-256 of a raw nonce to the provider and pass the raw "
        + "nonce itself to OAuthProvider.credential")
    case .blockingCloudFunctionError: Row(17105,
      "a blocking function of the project refused the operation",
      name: "ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR", web: "auth/internal-error",
      hint: "read the function's message and err.details, and satisfy its condition")
    case .recaptchaNotEnabled: Row(17200, "reCAPTCHA Enterprise is not enabled in this project",
      hint: "enable reCAPTCHA Enterprise in the project, or leave auth.recaptchaToken alone")
    case .missingRecaptchaToken: Row(17201, "the backend asks for a reCAPTCHA token",
      hint: "set auth.recaptchaToken to a token that a page got with the project's site key (see "
        + "auth:initializeRecaptchaConfig()), or set the project's enforcement to audit or off")
    case .invalidRecaptchaToken: Row(17202, "the reCAPTCHA token is not valid",
      hint: "set auth.recaptchaToken to a new token; each is valid for one call within two "
        + "minutes")
    case .invalidRecaptchaAction: Row(17203, "the reCAPTCHA token was made for another action",
      hint: "get the token for the action of this call: signUpPassword, signInWithPassword or "
        + "getOobCode")
    case .missingClientType: Row(17204, "the request does not name its kind of client",
      hint: "report this as a bug in luath")
    case .missingRecaptchaVersion: Row(17205, "the request does not name its reCAPTCHA version",
      hint: "send the version together with the token")
    case .invalidRecaptchaVersion: Row(17206, "the reCAPTCHA version is not known",
      hint: "send the version the token was made for")
    case .invalidReqType: Row(17207, "the backend does not support this kind of request",
      hint: "pass one of the request types the call documents")
    case .recaptchaSDKNotLinked: Row(17208, "the native reCAPTCHA library is not available",
      hint: "set the project's reCAPTCHA enforcement to audit or off, since a script cannot "
        + "solve it")
    case .recaptchaSiteKeyMissing: Row(17209, "the project has no reCAPTCHA site key",
      hint: "add a site key for web pages to the project, or set its reCAPTCHA enforcement off")
    case .recaptchaActionCreationFailed: Row(17210, "the reCAPTCHA action could not be made",
      hint: "set the project's reCAPTCHA enforcement to audit or off, since a script cannot "
        + "solve it")
    case .passwordDoesNotMeetRequirements: Row(17211,
      "the password does not meet the project's password policy",
      hint: "choose a password that has what err.details.missingRequirements lists; "
        + "auth:validatePassword checks one first")
    case .invalidHostingLinkDomain: Row(17214,
      "the link domain is not a hosting domain of the project",
      hint: "pass a hosting domain of the project as linkDomain, or leave it out")
    case .keychainError: Row(17995, "the session could not be stored on this machine",
      hint: "check that the place where sessions are stored can be written")
    case .internalError: Row(17999,
      "the response of the backend has no known error code",
      hint: "check err.serverName and err.details for the backend's message")
    case .malformedJWT: Row(18000, "the ID token cannot be decoded",
      hint: "call user:getIDToken(true) for a new token, and check that the target is an Identity "
        + "Toolkit backend")
    case .webStateMismatch: Row(18101,
      "the final address does not belong to the sign-in that was started",
      hint: "return the complete final address of the page that this provider:getCredential opened")
    case .webContextTimedOut: Row(18102, "the sign-in page did not finish in time",
      hint: "finish the page sooner, or give the delegate a longer timeout")
    case .webPageUnusable: Row(18103, "the delegate cannot complete this sign-in page",
      hint: "check the page named in the message, and use a delegate that can handle it")
    case .missingPassword: Row(18104, "a password is needed",
      hint: "pass the password as a non-empty string")
    case .configurationNotFound: Row(18105, "Authentication is not enabled in this project",
      hint: "enable Authentication in the project, or correct the target's project and apiKey")
    case .projectDisabled: Row(18106, "Authentication is switched off in this project or tenant",
      hint: "switch Authentication on in the project's configuration")
    case .invalidTenantID: Row(18107, "the project has no such tenant",
      hint: "set auth.tenantID to a tenant of the project, or to nil")
    case .invalidCustomParameter: Row(18108, "a custom parameter of the provider cannot be sent",
      hint: "remove the parameter from provider.customParameters, or give it a non-empty string")
    case .insufficientPermission: Row(18109, "this request is for administrators",
      hint: "use an administrator's credentials for this call")
    case .invalidServiceAccount: Row(18120, "the service account's key cannot be used",
      hint: "pass the JSON key of a service account as downloaded from the console, or its path")
    case .uidAlreadyExists: Row(18121, "an account with this uid exists already",
      hint: "choose another uid, or change the account with admin:updateUser")
    case .phoneNumberAlreadyExists: Row(18122, "the phone number belongs to another account",
      hint: "remove it from the other account first; admin:getUserByPhoneNumber finds that one")
    case .invalidArgument: Row(18123, "a value given to the call cannot be sent",
      web: "auth/argument-error",
      hint: "correct the value that the message names")
    case .invalidClaims: Row(18110,
      "the custom claims are malformed, too large or use a reserved name",
      hint: "pass a small table whose names are not reserved by OpenID Connect or Firebase")
    case .notImplemented: Row(18111, "the backend does not implement this request",
      hint: "use a real project or luath's emulator with --rules production: other emulators "
        + "and compatible rules lack this request")
    case .unsupportedPasswordPolicySchemaVersion: Row(18112,
      "the project's password policy has a version that this luath does not support",
      hint: "use a newer luath, or let the backend check the password")
    case .idTokenExpired: Row(18130, "the ID token has expired",
      hint: "have the client renew it with user:getIDToken(true), and send the new one")
    case .idTokenRevoked: Row(18131, "the session of the ID token was ended",
      hint: "let the user sign in again")
    case .invalidIDToken: Row(18132, "the ID token was not issued by the backend for this project",
      hint: "pass the whole token that user:getIDToken returned, and refuse the client that sent it")
    case .sessionCookieExpired: Row(18133, "the session cookie has expired",
      hint: "let the user sign in again, and make a new cookie")
    case .sessionCookieRevoked: Row(18134, "the session of the cookie was ended",
      hint: "clear the cookie, and let the user sign in again")
    case .invalidSessionCookie: Row(18135,
      "the session cookie was not issued by the backend for this project",
      hint: "pass the whole cookie that admin:createSessionCookie returned, and refuse the client "
        + "that sent it")
    case .invalidSessionCookieDuration: Row(18136,
      "the lifetime of a session cookie is out of range",
      hint: "pass expiresIn in seconds, between five minutes (300) and two weeks (1209600)")
    case .certificateFetchFailed: Row(18137, "the public keys that verify tokens cannot be read",
      hint: "check the network between this machine and www.googleapis.com, and try again")
    case .configurationExists: Row(18138, "there is a provider configuration of that id already",
      hint: "change it with an update call, or choose another id")
    case .invalidProviderConfiguration: Row(18139,
      "the provider's configuration is incomplete or wrong",
      name: "ERROR_INVALID_CONFIG", web: "auth/invalid-config",
      hint: "correct what err.serverName names")
    case .webConsentDenied: Row(18140, "the user or the provider denied the consent",
      hint: "call provider:getCredential again and consent; a delegate that fills forms has "
        + "consent = true")
    case .webCredentialsRefused: Row(18141,
      "the identity provider does not accept the user name or password",
      hint: "check the user name and password that the delegate was given")
    case .webPageUnsafe: Row(18142, "the page must not be given a password",
      hint: "if the page is the provider's, name its origin under trustedOrigins")
    case .webBrowserUnavailable: Row(18143, "no browser could be started",
      hint: "install chromium and chromium-driver of one version, or name a driver with webdriver "
        + "= URL")
    case .webBrowserFailed: Row(18144, "the browser ended or stopped responding during the sign-in",
      hint: "call provider:getCredential again; if it happens again, look at the browser's memory "
        + "and version")
    case .webRedirectUnavailable: Row(18148,
      "luath cannot listen at the redirect address on this machine",
      hint: "end the program that has the port, or leave the port out of redirectURI for a free "
        + "one")
    case .webDenialIgnored: Row(18160,
      "the consent was denied, but the provider signed the user in",
      hint: "check the page: its button to deny accepts")
    case .webLoginAtSignOut: Row(18161, "the provider asks for a login during a sign-out",
      hint: "sign out with the delegate that signed in, with keepsSession = true")
    case .webPageDespitePromptNone: Row(18162,
      "the provider shows a page although prompt=none asked for none",
      hint: "sign in first with the same delegate and keepsSession = true, or leave prompt=none "
        + "out")
    case .webRedirectNotRegistered: Row(18163, "the redirect address is not registered at the provider",
      hint: "register exactly this redirect address for the client at the provider")
    case .changeNotAllowed: Row(18170,
      "the call would change a project that this run may only read",
      hint: "name the project with --yes=PROJECT or in LUATH_ALLOW if the run is meant to change "
        + "it")
    }
  }
}
