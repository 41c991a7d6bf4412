-- What docs/errors.md says beyond the program's own table of errors: in which order they come, and
-- what there is to know besides an error's hint. Tools/error-page.lua refuses a code without place.
return {
  {
    title = "Passwords and addresses",
    codes = {
      { "invalidEmail" },
      { "weakPassword" },
      { "emailAlreadyInUse" },
      {
        "wrongPassword",
        "Projects with enumeration protection give `invalidCredential` instead.",
      },
      {
        "userNotFound",
        "Projects with enumeration protection give `invalidCredential` instead.",
      },
      { "userDisabled" },
      { "tooManyRequests" },
      { "quotaExceeded" },
      { "missingEmail" },
      { "missingPassword" },
      {
        "adminRestrictedOperation",
        "It is also what Firebase answers to `signInAnonymously` where anonymous sign-in is off.",
      },
    },
  },
  {
    title = "Letters, policies and captchas",
    codes = {
      {
        "invalidActionCode",
        "each code works once, in time, and for the call it was sent for: have another " ..
          "letter sent",
      },
      {
        "expiredActionCode",
        "each code works once, in time, and for the call it was sent for: have another " ..
          "letter sent",
      },
      {
        "missingContinueURI",
        "It is `url` in the settings of a letter.",
      },
      {
        "invalidContinueURI",
        "It is `url` in the settings of a letter, a whole address with `https://`.",
      },
      {
        "unauthorizedDomain",
        "The domain belongs into `authorizedDomains`: that of `url` in the settings of " ..
          "a letter; for `ui.browser` `localhost`, or the host of its `redirectURI`.",
      },
      {
        "invalidHostingLinkDomain",
        "leave `linkDomain` out, or name a hosting domain of the project",
      },
      {
        "missingIosBundleID",
        "Name the app that opens the link, or leave its settings out.",
      },
      {
        "missingAndroidPackageName",
        "Name the app that opens the link, or leave its settings out.",
      },
      {
        "invalidRecipientEmail",
        "It is about the address, or about the template of the letter in the console.",
      },
      {
        "invalidSender",
        "It is about the address, or about the template of the letter in the console.",
      },
      {
        "invalidMessagePayload",
        "It is about the address, or about the template of the letter in the console.",
      },
      {
        "passwordDoesNotMeetRequirements",
        "`err.details.missingRequirements` says what is missing; `auth:validatePassword` " ..
          "says it before",
      },
      {
        "missingRecaptchaToken",
        "`auth.recaptchaToken` takes the token of a page; a project under test may be " ..
          "without enforcement.",
      },
      {
        "captchaCheckFailed",
        "`auth.recaptchaToken` takes the token of a page; a project under test may be " ..
          "without enforcement.",
      },
      {
        "blockingCloudFunctionError",
        "a function of the project refused: its words are the message, all it said is in " ..
          "`err.details`",
      },
      { "recaptchaNotEnabled" },
      { "invalidRecaptchaToken" },
      { "invalidRecaptchaAction" },
      { "missingClientType" },
      { "missingRecaptchaVersion" },
      { "invalidRecaptchaVersion" },
      { "invalidReqType" },
      { "recaptchaSDKNotLinked" },
      { "recaptchaSiteKeyMissing" },
      { "recaptchaActionCreationFailed" },
      { "unsupportedPasswordPolicySchemaVersion" },
    },
  },
  {
    title = "Providers and credentials",
    codes = {
      { "invalidProviderID" },
      {
        "operationNotAllowed",
        "The provider is off, or not in the project file; `oidc.*` needs Identity " ..
          "Platform.",
      },
      {
        "invalidCustomParameter",
        "The sign-in sets that parameter itself, or its value is empty.",
      },
      {
        "invalidCredential",
        "It was used before, is expired, was tampered with, or is of another app: a " ..
          "credential works once. Raw access tokens of Microsoft and Yahoo are always " ..
          "refused ([why](concepts.md#why-tokens-of-microsoft-are-refused)): use the " ..
          "page, or a custom token.",
      },
      {
        "missingOrInvalidNonce",
        "the provider gets the lower-case hex SHA-256 of the raw nonce, Firebase the raw " ..
          "one",
      },
      {
        "invalidCustomToken",
        "It is good for an hour.",
      },
      { "customTokenMismatch" },
      { "rejectedCredential" },
      { "invalidClientID" },
      { "localPlayerNotAuthenticated" },
      { "gameKitNotLinked" },
    },
  },
  {
    title = "Administrators",
    codes = {
      {
        "invalidServiceAccount",
        "the message says what is wrong with the key or who refused it: a wrong clock, a " ..
          "key that was deleted, an account that is switched off",
      },
      {
        "insufficientPermission",
        "The role is Firebase Authentication Admin; the key may also be that of another " ..
          "project.",
      },
      { "uidAlreadyExists" },
      { "phoneNumberAlreadyExists" },
      { "invalidArgument", "nothing was sent: correct the value that the message names" },
      {
        "invalidClaims",
        "They take at most 1000 bytes as JSON, and no name that is the token's own.",
      },
      { "configurationExists" },
      { "invalidProviderConfiguration" },
      { "idTokenExpired" },
      { "idTokenRevoked" },
      { "invalidIDToken" },
      { "sessionCookieExpired" },
      { "sessionCookieRevoked" },
      { "invalidSessionCookie" },
      { "invalidSessionCookieDuration" },
      { "certificateFetchFailed" },
    },
  },
  {
    title = "The sign-in page",
    codes = {
      {
        "webSignInUserInteractionFailure",
        "the provider ended it, and the message has its words: `invalid_scope` (Yahoo's " ..
          "scopes must be those of the app exactly), `AADSTS50020` (a person of another " ..
          "tenant)",
      },
      {
        "webConsentDenied",
        "the person pressed deny, or the provider did for them (`access_denied`)",
      },
      {
        "webDenialIgnored",
        "with `consent = false` the button to deny was pressed, and the provider came back with a " ..
          "sign-in; where the buttons differ by a script only, nothing is sent and the error is " ..
          "`webPageUnusable` with `details.reason` `cannotDeny`",
      },
      {
        "webLoginAtSignOut",
        "`client:logout`, or a page with `post_logout_redirect_uri`, led to a login: nothing was " ..
          "typed. The provider finds no session, mostly as the delegate keeps no cookies",
      },
      {
        "webPageDespitePromptNone",
        "the request has `prompt=none`, and the provider shows a login, a chooser or a consent: " ..
          "nothing was typed or pressed. A provider that keeps to OpenID Connect comes back with " ..
          "`login_required`",
      },
      {
        "webRedirectNotRegistered",
        "the provider's page complains about the redirect address, which the hint names: register " ..
          "it there, with port, path and closing slash",
      },
      {
        "webCredentialsRefused",
        "the provider asks again for the user name or password: check what the delegate " ..
          "was given; `details.reason` tells `usernameRefused`, `passwordRefused` and " ..
          "`answerRefused` (a code) apart",
      },
      {
        "webPageUnsafe",
        "the password or code was not sent: the page is of another server than the one " ..
          "the sign-in began at, or not encrypted, or its form would put it into the " ..
          "address; name the origin in `trustedOrigins` if it is the provider's",
      },
      {
        "webBrowserUnavailable",
        "no browser could be started, and the message says why: driver or browser not " ..
          "found, or not of one version (install `chromium` and `chromium-driver` " ..
          "together), one that cannot start (no display for a headed one; a container " ..
          "without user namespaces, where Chromium's sandbox cannot work), an address that " ..
          "is not a driver's. `ui.browser`: set `BROWSER`, or paste the address",
      },
      {
        "webBrowserFailed",
        "the browser or its driver ended or hung in the middle, and the message says " ..
          "which: a browser that crashes mostly lacks memory",
      },
      {
        "webRedirectUnavailable",
        "the port of `redirectURI` is taken: end the program that has it, or leave the " ..
          "port out for a free one",
      },
      {
        "webStateMismatch",
        "the delegate returned an address that is not this sign-in's, or returned it " ..
          "without its query",
      },
      {
        "webContextTimedOut",
        "a page that never comes back; `err.details` names the last one. With " ..
          "`ui.device`: nobody entered the code in time. With `ui.browser`: when the page " ..
          "complains about the redirect address, register it at the provider",
      },
      {
        "webContextCancelled",
        "the delegate returned nothing, or was cancelled; the input ended before an " ..
          "address was pasted",
      },
      {
        "webPageUnusable",
        "It has no form that can be filled, a field without an answer, nobody to answer " ..
          "as; or there is no delegate on a real project. A page built by a script needs " ..
          "`ui.webdriver`; a recording that is missing, damaged or of other answers is " ..
          "recorded anew.",
      },
      { "webNetworkRequestFailed" },
      {
        "webContextAlreadyPresented",
        "one page per Auth at a time: use `Auth.session()` for each person, and " ..
          "`Auth.OAuthProvider(id, session)`",
      },
      { "webInternalError" },
    },
  },
  {
    title = "Accounts that meet",
    codes = {
      {
        "accountExistsWithDifferentCredential",
        "Lessons [7](../scripts/07-merge.lua) and " ..
          "[8](../scripts/08-merge-protected.lua) do it step by step, `luath.merge` in " ..
          "one call; [concepts.md](concepts.md#linking-and-merging) tells why.",
      },
      {
        "credentialAlreadyInUse",
        "That identity leads to another account; `err.pendingCredential` signs in to " ..
          "it, although the credential itself was used up.",
      },
      { "providerAlreadyLinked" },
      { "noSuchProvider" },
      { "userMismatch" },
    },
  },
  {
    title = "Telephones and second factors",
    codes = {
      {
        "invalidPhoneNumber",
        "Such as `+15555550100`: plus sign, country code, number.",
      },
      {
        "missingPhoneNumber",
        "Such as `+15555550100`: plus sign, country code, number.",
      },
      {
        "invalidVerificationCode",
        "The newest code of the message counts, or `totp.code(secret)`; a code of an " ..
          "authenticator app works once.",
      },
      {
        "sessionExpired",
        "the code was used, is too old, or belongs to another request: ask for another",
      },
      {
        "invalidVerificationID",
        "the code was used, is too old, or belongs to another request: ask for another",
      },
      {
        "missingClientIdentifier",
        "the project sends messages only for an answer of reCAPTCHA: the option " ..
          "`recaptchaToken`, or a test number",
      },
      {
        "secondFactorRequired",
        "[Lesson 15](../scripts/15-totp.lua) does it.",
      },
      {
        "invalidMultiFactorSession",
        "ten minutes have passed, or the resolver was used: begin with the first factor",
      },
      {
        "unverifiedEmail",
        "second factors need a verified address, and a password, link or provider before " ..
          "them",
      },
      {
        "unsupportedFirstFactor",
        "second factors need a verified address, and a password, link or provider before " ..
          "them",
      },
      { "multiFactorInfoNotFound" },
      {
        "secondFactorAlreadyEnrolled",
        "`user.multiFactor:unenroll(factor)` makes room.",
      },
      {
        "maximumSecondFactorCountExceeded",
        "`user.multiFactor:unenroll(factor)` makes room.",
      },
      {
        "emailChangeNeedsVerification",
        "`user:sendEmailVerificationBeforeUpdatingEmail(address)` sends the letter.",
      },
      { "missingVerificationCode" },
      { "missingVerificationID" },
      { "missingAppCredential" },
      { "invalidAppCredential" },
      { "missingAppToken" },
      { "notificationNotForwarded" },
      { "appNotVerified" },
      { "appVerificationUserInteractionFailure" },
      { "missingMultiFactorSession" },
      { "missingMultiFactorInfo" },
    },
  },
  {
    title = "Sessions",
    codes = {
      {
        "requiresRecentLogin",
        "[Lesson 6](../scripts/06-reauthenticate.lua) does it.",
      },
      {
        "userTokenExpired",
        "The password or the account was changed elsewhere.",
      },
      {
        "invalidUserToken",
        "The password or the account was changed elsewhere, or the token is of another " ..
          "project.",
      },
      { "nullUser" },
      {
        "keychainError",
        "The message says what is wrong with the file: " ..
          "[troubleshooting.md](troubleshooting.md#a-saved-session) has each.",
      },
      { "malformedJWT" },
    },
  },
  {
    title = "Backend and network",
    codes = {
      {
        "networkError",
        "It is exit code 4 when it ends a script. `luath doctor` tells what answers. " ..
          "With \"the certificate of … is refused\", look at this machine's clock, at " ..
          "`caFile` of the target, or at what stands between.",
      },
      {
        "appNotAuthorized",
        "The key is restricted to an app or a site: name the app's file with `config` " ..
          "or `--config`, or give the header that the hint names in the target's " ..
          "`headers`.",
      },
      {
        "invalidAPIKey",
        "`luath doctor --target NAME` tries it without a script.",
      },
      {
        "configurationNotFound",
        "It is about the project that the target names, and whether Authentication is " ..
          "enabled there.",
      },
      {
        "projectDisabled",
        "It is about the project that the target names, and whether Authentication is " ..
          "enabled there.",
      },
      {
        "internalError",
        "the backend said something unknown: `err.serverName` and `err.details` have its " ..
          "words. \"is a web page instead of JSON\", \"is empty\": something else answers there",
      },
      { "tenantIDMismatch" },
      { "unsupportedTenantOperation" },
      { "invalidTenantID" },
      { "notImplemented" },
      {
        "changeNotAllowed",
        "Nothing was sent. On a real project only reading is allowed until its user agrees; " ..
          "a target with `protected = true` allows nothing else. In `luath batch plan`, " ..
          "no change is allowed at all.",
      },
    },
  },
}
