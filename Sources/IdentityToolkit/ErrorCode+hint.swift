extension ErrorCode {
  /// What a script's author does next, in one sentence that uses the Lua spelling.
  public var hint: String {
    switch self {
    case .invalidCustomToken:
      "mint a new custom token with the project's own service account and sign in with it "
        + "within the hour"
    case .customTokenMismatch:
      "mint the custom token with a service account of the project this target names"
    case .invalidCredential:
      "get a fresh credential with provider:getCredential(), or check the e-mail and the "
        + "password, and call auth:signIn again"
    case .userDisabled: "enable the account in the project, or sign in as someone else"
    case .operationNotAllowed: "enable the provider in the project's configuration, then try again"
    case .emailAlreadyInUse:
      "sign in to that account with auth:signIn, then call user:link with err.pendingCredential "
        + "if the error carries one"
    case .invalidEmail: "pass an address of the form name@host"
    case .wrongPassword:
      "check the password, or see auth:fetchProviders(email) for the ways this account signs in"
    case .tooManyRequests: "wait a while and try again with fewer requests"
    case .userNotFound:
      "check the address or identifier, or create the account with auth:createUser"
    case .accountExistsWithDifferentCredential:
      "sign in with a provider of err.verifiedProviders, or with the password or an e-mail link when "
        + "that is empty; then call auth.currentUser:link(err.pendingCredential)"
    case .requiresRecentLogin:
      "call user:reauthenticate(credential) with a fresh credential, then repeat the change"
    case .providerAlreadyLinked:
      "call user:unlink(providerID) first if the credential is to be replaced"
    case .noSuchProvider: "look at user.providerData for the providers that can be unlinked"
    case .invalidUserToken: "sign in again with auth:signIn"
    case .networkError: "check that the target's address is right and reachable, then try again"
    case .userTokenExpired: "sign in again with auth:signIn"
    case .invalidAPIKey: "put the project's web API key into the target's apiKey"
    case .userMismatch:
      "reauthenticate with a credential of the current user, or use auth:signIn to switch users"
    case .credentialAlreadyInUse:
      "call auth:signIn(err.pendingCredential) to use that account, or unlink it there first"
    case .weakPassword: "choose a password of at least six characters"
    case .appNotAuthorized:
      "send the identity the key is restricted to in the target's headers, or use a key without "
        + "that restriction"
    case .expiredActionCode:
      "send a new e-mail, with the call that sent the first one, and use its code in time"
    case .invalidActionCode:
      "send a new e-mail, with the call that sent the first one, and use its code once"
    case .invalidMessagePayload: "correct the e-mail template in the project's configuration"
    case .invalidSender: "correct the sender of the e-mail template in the project's configuration"
    case .invalidRecipientEmail: "pass the address of an existing account, to which mail can go"
    case .missingEmail: "pass the e-mail address as a non-empty string"
    case .missingIosBundleID: "name the app in the settings' iOSBundleID"
    case .missingAndroidPackageName:
      "name the app in androidPackageName, together with the settings' other Android fields"
    case .unauthorizedDomain:
      "add the domain to authorizedDomains in the project's configuration, or use one that is there"
    case .invalidContinueURI:
      "pass an absolute http or https address, in url when it is for an e-mail"
    case .missingContinueURI:
      "pass an absolute http or https address to continue at, in url when it is for an e-mail"
    case .missingPhoneNumber: "pass the phone number with its country code, such as +15555550100"
    case .invalidPhoneNumber:
      "write the phone number with a plus sign and its country code, such as +15555550100"
    case .missingVerificationCode: "pass the code from the message"
    case .invalidVerificationCode: "pass the newest code, or ask for another"
    case .missingVerificationID: "pass the identifier that the request for the code returned"
    case .invalidVerificationID: "ask for a new code and use its identifier"
    case .missingAppCredential:
      "use a fictional test number of the project, or pass the option recaptchaToken"
    case .invalidAppCredential:
      "pass a new answer of reCAPTCHA as the option recaptchaToken; each is good for one message"
    case .sessionExpired: "ask for a new code with verifyPhoneNumber; each works once"
    case .quotaExceeded: "wait until the quota renews, or raise it in the project"
    case .missingAppToken: "use another way to verify; push messages do not exist on this platform"
    case .notificationNotForwarded:
      "use another way to verify; push messages do not exist on this platform"
    case .appNotVerified: "use another way to verify; push messages do not exist on this platform"
    case .captchaCheckFailed:
      "set auth.recaptchaToken, or the option recaptchaToken of messages, to a new token, or switch "
        + "the check off for this project"
    case .webContextAlreadyPresented:
      "wait until the first provider:getCredential returns, or use a second Auth"
    case .webContextCancelled: "call provider:getCredential again and finish the page"
    case .appVerificationUserInteractionFailure: "open the page again and finish it"
    case .invalidClientID: "correct the provider's client identifier in the project's configuration"
    case .webNetworkRequestFailed:
      "check the connection to the identity provider and call provider:getCredential again"
    case .webInternalError: "call provider:getCredential again"
    case .webSignInUserInteractionFailure:
      "read the provider's words in the message, correct scopes, custom parameters or consent, "
        + "and call provider:getCredential again"
    case .localPlayerNotAuthenticated:
      "use another provider; Game Center does not exist on this platform"
    case .nullUser: "sign in with auth:signIn first"
    case .invalidProviderID: "use an id such as microsoft.com, yahoo.com, google.com or oidc.NAME"
    case .tenantIDMismatch: "set auth.tenantID to the tenant of the user"
    case .unsupportedTenantOperation: "set auth.tenantID to nil for this call"
    case .rejectedCredential: "get a fresh credential with provider:getCredential()"
    case .gameKitNotLinked: "use another provider; Game Center does not exist on this platform"
    case .secondFactorRequired:
      "finish with err.resolver:resolveSignIn(assertion), by one of the factors in "
        + "err.resolver.hints"
    case .missingMultiFactorSession: "sign in with the first factor again"
    case .missingMultiFactorInfo:
      "pass a factor of user.multiFactor.enrolledFactors, or of err.resolver.hints"
    case .invalidMultiFactorSession:
      "sign in with the first factor again, which gives a new err.resolver"
    case .multiFactorInfoNotFound:
      "pass a factor of user.multiFactor.enrolledFactors, or of err.resolver.hints"
    case .adminRestrictedOperation:
      "allow sign-up or deletion for end users in the project's configuration, and for "
        + "signInAnonymously the anonymous provider"
    case .unverifiedEmail:
      "verify the e-mail address, which user:sendEmailVerification() begins, then try again"
    case .secondFactorAlreadyEnrolled:
      "use the enrolled factor, or take it away first with user.multiFactor:unenroll(factor)"
    case .maximumSecondFactorCountExceeded:
      "take one of the factors away first with user.multiFactor:unenroll(factor)"
    case .unsupportedFirstFactor:
      "sign in with a password, a link or an identity provider; a phone number is either a first "
        + "or a second factor"
    case .emailChangeNeedsVerification:
      "change it with user:sendEmailVerificationBeforeUpdatingEmail(email), and use the letter"
    case .missingClientIdentifier:
      "use a fictional test number of the project, or pass the option recaptchaToken"
    case .missingOrInvalidNonce:
      "send the lower-case hex SHA-256 of a raw nonce to the provider and pass the raw nonce "
        + "itself to OAuthProvider.credential"
    case .blockingCloudFunctionError:
      "read the function's words in the message and err.details, and satisfy its condition"
    case .recaptchaNotEnabled:
      "enable reCAPTCHA Enterprise in the project, or leave auth.recaptchaToken alone"
    case .missingRecaptchaToken:
      "set auth.recaptchaToken to a token that a page got with the project's site key (see "
        + "auth:initializeRecaptchaConfig()), or set the project's enforcement to audit or off"
    case .invalidRecaptchaToken:
      "set auth.recaptchaToken to a new token, since each is good for one call within two minutes"
    case .invalidRecaptchaAction:
      "get the token for the action of this call: signUpPassword, signInWithPassword or getOobCode"
    case .missingClientType: "report this, since luath names its kind of client where it is needed"
    case .missingRecaptchaVersion: "send the version together with the token"
    case .invalidRecaptchaVersion: "send the version the token was made for"
    case .invalidReqType: "pass one of the request types the call documents"
    case .recaptchaSDKNotLinked:
      "set the project's reCAPTCHA enforcement to audit or off, since a script cannot answer it"
    case .recaptchaSiteKeyMissing:
      "add a site key for web pages to the project, or set its reCAPTCHA enforcement off"
    case .recaptchaActionCreationFailed:
      "set the project's reCAPTCHA enforcement to audit or off, since a script cannot answer it"
    case .passwordDoesNotMeetRequirements:
      "choose a password that has what err.details.missingRequirements lists; "
        + "auth:validatePassword tells beforehand"
    case .invalidHostingLinkDomain:
      "pass a hosting domain of the project as linkDomain, or leave it out"
    case .keychainError: "check that the place where sessions are stored can be written"
    case .internalError: "look at err.serverName and err.details for the backend's own words"
    case .malformedJWT:
      "call user:getIDToken(true) for a new token, and check that the target is an Identity "
        + "Toolkit backend"
    case .webStateMismatch:
      "return the complete final address of the page that this provider:getCredential opened"
    case .webContextTimedOut: "finish the page sooner, or give the delegate a longer timeout"
    case .webPageUnusable:
      "look at the page named in the message, and use a delegate that can handle it"
    case .missingPassword: "pass the password as a non-empty string"
    case .configurationNotFound:
      "enable Authentication in the project, or correct the target's project and apiKey"
    case .projectDisabled: "switch Authentication on in the project's configuration"
    case .invalidTenantID: "set auth.tenantID to a tenant of the project, or to nil"
    case .invalidCustomParameter:
      "remove the parameter from provider.customParameters, or give it a non-empty string"
    case .insufficientPermission: "use an administrator's credentials for this call"
    case .invalidServiceAccount:
      "pass the JSON key of a service account as the console gave it, or its path"
    case .uidAlreadyExists:
      "choose another uid, or change the account with admin:updateUser"
    case .phoneNumberAlreadyExists:
      "take it from the other account first, which admin:getUserByPhoneNumber finds"
    case .invalidArgument:
      "correct the value that the message names"
    case .idTokenExpired:
      "have the client renew it with user:getIDToken(true), and send the new one"
    case .idTokenRevoked: "have the person sign in again"
    case .invalidIDToken:
      "pass the whole token that user:getIDToken gave, and refuse whoever sent this one"
    case .sessionCookieExpired: "have the person sign in again, and make a new cookie"
    case .sessionCookieRevoked: "clear the cookie, and have the person sign in again"
    case .invalidSessionCookie:
      "pass the whole cookie that admin:createSessionCookie gave, and refuse whoever sent this one"
    case .invalidSessionCookieDuration:
      "pass expiresIn in seconds, between five minutes (300) and two weeks (1209600)"
    case .certificateFetchFailed:
      "check that nothing stands between this machine and www.googleapis.com, and try again"
    case .configurationExists: "change it with an update call, or choose another id"
    case .invalidProviderConfiguration: "correct what err.serverName names"
    case .webConsentDenied:
      "call provider:getCredential again and consent; a delegate that fills forms has consent = true"
    case .webCredentialsRefused:
      "check the user name and password that the delegate was given"
    case .webPageUnsafe:
      "if the page is the provider's, name its origin under trustedOrigins"
    case .webBrowserUnavailable:
      "install chromium and chromium-driver of one version, or name a driver with webdriver = URL"
    case .webBrowserFailed:
      "call provider:getCredential again; if it happens again, look at the browser's memory and version"
    case .webRedirectUnavailable:
      "end the program that has the port, or leave the port out of redirectURI for a free one"
    case .webDenialIgnored:
      "look at the page; the provider takes its button to deny for an acceptance"
    case .webLoginAtSignOut:
      "sign out with the delegate that signed in, and give that keepsSession = true"
    case .webPageDespitePromptNone:
      "sign in first with the same delegate and keepsSession = true, or leave prompt=none out"
    case .webRedirectNotRegistered:
      "register the redirect address for the client at the provider, letter for letter"
    case .changeNotAllowed:
      "name the project with --yes=PROJECT or in LUATH_ALLOW if the run is meant to change it"
    case .invalidClaims:
      "pass a small table whose names are not reserved by OpenID Connect or Firebase"
    case .notImplemented:
      "use a real project or luath's emulator with --rules production: other emulators, and the "
        + "rules that follow them, lack this request"
    case .unsupportedPasswordPolicySchemaVersion:
      "use a newer luath, or let the backend judge the password"
    }
  }
}
