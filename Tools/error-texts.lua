-- The order of the errors on docs/errors.md, and what to know besides an error's cause and hint.
-- Tools/error-page.lua refuses a code that is missing here.
return {
  {
    title = "Passwords and addresses",
    codes = {
      { "invalidEmail" },
      { "weakPassword" },
      { "emailAlreadyInUse" },
      {
        "wrongPassword",
        "Projects with enumeration protection raise `invalidCredential` instead.",
      },
      {
        "userNotFound",
        "Projects with enumeration protection raise `invalidCredential` instead.",
      },
      { "userDisabled" },
      { "tooManyRequests" },
      { "quotaExceeded" },
      { "missingEmail" },
      { "missingPassword" },
      {
        "adminRestrictedOperation",
        "`signInAnonymously` also raises it when anonymous sign-in is off.",
      },
    },
  },
  {
    title = "E-mails, policies and captchas",
    codes = {
      {
        "invalidActionCode",
        "A code works once, until it expires, and only for the call that it was sent for.",
      },
      {
        "expiredActionCode",
        "A code works once, until it expires, and only for the call that it was sent for.",
      },
      {
        "missingContinueURI",
        "It is `url` in the settings of the e-mail.",
      },
      {
        "invalidContinueURI",
        "It is `url` in the settings of the e-mail: a complete address with `https://`.",
      },
      {
        "unauthorizedDomain",
        "It is the domain of `url` in the settings of the e-mail. For `ui.browser` it is " ..
          "`localhost`, or the host of its `redirectURI`.",
      },
      {
        "invalidHostingLinkDomain",
        "Leave `linkDomain` out, or name a hosting domain of the project.",
      },
      {
        "missingIosBundleID",
        "Name the app that opens the link, or leave the app's settings out.",
      },
      {
        "missingAndroidPackageName",
        "Name the app that opens the link, or leave the app's settings out.",
      },
      {
        "invalidRecipientEmail",
        "Check the address, and the template of the e-mail in the console.",
      },
      {
        "invalidSender",
        "Check the address, and the template of the e-mail in the console.",
      },
      {
        "invalidMessagePayload",
        "Check the address, and the template of the e-mail in the console.",
      },
      {
        "passwordDoesNotMeetRequirements",
        "`err.details.missingRequirements` lists what is missing.",
      },
      {
        "missingRecaptchaToken",
        "The token comes from a page. For a test project, turn the enforcement off.",
      },
      {
        "captchaCheckFailed",
        "The token comes from a page. For a test project, turn the enforcement off.",
      },
      {
        "blockingCloudFunctionError",
        "`err.details` has the whole response of the function.",
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
        "The provider is off, or missing in the project file. `oidc.*` needs Identity " ..
          "Platform.",
      },
      {
        "invalidCustomParameter",
        "The sign-in sets that parameter itself, or its value is empty.",
      },
      {
        "invalidCredential",
        "A credential works once, and only for the app that it was issued for. Raw access " ..
          "tokens of Microsoft and Yahoo are always refused " ..
          "([why](concepts.md#why-tokens-of-microsoft-are-refused)): use the page, or a " ..
          "custom token.",
      },
      {
        "missingOrInvalidNonce",
        "The provider gets the SHA-256 of the raw nonce, in lowercase hexadecimal digits. " ..
          "Firebase gets the raw nonce.",
      },
      {
        "invalidCustomToken",
        "A custom token is valid for one hour.",
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
        "The message names the cause, such as a wrong clock, a deleted key or a disabled " ..
          "account.",
      },
      {
        "insufficientPermission",
        "The account needs the role Firebase Authentication Admin. The key may also belong " ..
          "to another project.",
      },
      { "uidAlreadyExists" },
      { "phoneNumberAlreadyExists" },
      { "invalidArgument", "Nothing was sent." },
      {
        "invalidClaims",
        "The claims take at most 1000 bytes as JSON. Names of the token's own claims are " ..
          "reserved.",
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
        "The message has the provider's code: `invalid_scope` if Yahoo's scopes are not " ..
          "exactly those of the app, `AADSTS50020` if the user is of another tenant.",
      },
      {
        "webConsentDenied",
        "The provider returned `access_denied`.",
      },
      {
        "webDenialIgnored",
        "With `consent = false`, luath pressed the button to deny, and the provider signed the user " ..
          "in. If the buttons differ only by a script, luath sends nothing: the error is " ..
          "`webPageUnusable`, with `details.reason` `cannotDeny`.",
      },
      {
        "webLoginAtSignOut",
        "`client:logout`, or a page with `post_logout_redirect_uri`, led to a login. luath typed " ..
          "nothing. The provider found no session, in most cases because the delegate keeps no " ..
          "cookies.",
      },
      {
        "webPageDespitePromptNone",
        "luath typed and pressed nothing. A provider that follows OpenID Connect returns " ..
          "`login_required` instead of a page.",
      },
      {
        "webRedirectNotRegistered",
        "Register the address that the hint names, with its port, path and closing slash.",
      },
      {
        "webCredentialsRefused",
        "`details.reason` is `usernameRefused`, `passwordRefused`, or `answerRefused` for a " ..
          "code.",
      },
      {
        "webPageUnsafe",
        "luath did not send the password or code. The page is on another server than the one " ..
          "where the sign-in began, it is not encrypted, or its form would put the value into " ..
          "the address.",
      },
      {
        "webBrowserUnavailable",
        "The message names the cause: the driver or browser is missing, their versions differ, " ..
          "a browser with a window has no display, a container has no user namespaces for " ..
          "Chromium's sandbox, or the address is not a driver's. For `ui.browser`, set " ..
          "`BROWSER`, or paste the address.",
      },
      {
        "webBrowserFailed",
        "The message names the browser or its driver. A browser that crashes needs more memory " ..
          "in most cases.",
      },
      {
        "webRedirectUnavailable",
        "Another program uses the port of `redirectURI`.",
      },
      {
        "webStateMismatch",
        "The delegate returned an address of another sign-in, or one without its query.",
      },
      {
        "webContextTimedOut",
        "`err.details` names the last page. With `ui.device`, the user did not enter the code " ..
          "in time. With `ui.browser`, if the page refuses the redirect address, register it at " ..
          "the provider.",
      },
      {
        "webContextCancelled",
        "The delegate returned nothing or was cancelled, or the input ended before an address " ..
          "was pasted.",
      },
      {
        "webPageUnusable",
        "The page has no form that luath can fill, or a field that the delegate has no value " ..
          "for. A real project needs a delegate. A page built by a script needs " ..
          "`ui.webdriver`. If a recording is missing or does not match, record it again.",
      },
      { "webNetworkRequestFailed" },
      {
        "webContextAlreadyPresented",
        "Each Auth has one page at a time. Use an `Auth.session()` for each user, and " ..
          "`Auth.OAuthProvider(id, session)`.",
      },
      { "webInternalError" },
    },
  },
  {
    title = "Account conflicts",
    codes = {
      {
        "accountExistsWithDifferentCredential",
        "Lessons [7](../scripts/07-merge.lua) and " ..
          "[8](../scripts/08-merge-protected.lua) link the accounts step by step, `luath.merge` " ..
          "in one call. [concepts.md](concepts.md#linking-and-merging) explains why.",
      },
      {
        "credentialAlreadyInUse",
        "`err.pendingCredential` signs in to the other account, although the credential itself " ..
          "was used.",
      },
      { "providerAlreadyLinked" },
      { "noSuchProvider" },
      { "userMismatch" },
    },
  },
  {
    title = "Phones and second factors",
    codes = {
      {
        "invalidPhoneNumber",
        "Write a plus sign, the country code and the number: `+15555550100`.",
      },
      {
        "missingPhoneNumber",
        "Write a plus sign, the country code and the number: `+15555550100`.",
      },
      {
        "invalidVerificationCode",
        "The code of the newest SMS counts. For an authenticator app use `totp.code(secret)`; " ..
          "each of its codes works once.",
      },
      {
        "sessionExpired",
        "The code was used, has expired, or belongs to another request.",
      },
      {
        "invalidVerificationID",
        "The code was used, has expired, or belongs to another request.",
      },
      {
        "missingClientIdentifier",
        "The project sends SMS only with a reCAPTCHA token.",
      },
      {
        "secondFactorRequired",
        "[Lesson 15](../scripts/15-totp.lua) shows how.",
      },
      {
        "invalidMultiFactorSession",
        "More than ten minutes have passed, or the resolver was used.",
      },
      {
        "unverifiedEmail",
        "Second factors need a verified address, and a first factor that is a password, an e-mail " ..
          "link or a provider.",
      },
      {
        "unsupportedFirstFactor",
        "Second factors need a verified address, and a first factor that is a password, an e-mail " ..
          "link or a provider.",
      },
      { "multiFactorInfoNotFound" },
      { "secondFactorAlreadyEnrolled" },
      { "maximumSecondFactorCountExceeded" },
      { "emailChangeNeedsVerification" },
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
        "[Lesson 6](../scripts/06-reauthenticate.lua) shows how.",
      },
      {
        "userTokenExpired",
        "The password or the account was changed elsewhere.",
      },
      {
        "invalidUserToken",
        "The password or the account was changed elsewhere, or the token belongs to another " ..
          "project.",
      },
      { "nullUser" },
      {
        "keychainError",
        "The message names the problem of the file: " ..
          "[troubleshooting.md](troubleshooting.md#a-saved-session) explains each message.",
      },
      { "malformedJWT" },
    },
  },
  {
    title = "Backend and network",
    codes = {
      {
        "networkError",
        "A script that ends with it exits with 4. `luath doctor` shows what listens at the " ..
          "address. If the certificate is refused, check this machine's clock, the target's " ..
          "`caFile` and any proxy.",
      },
      {
        "appNotAuthorized",
        "The key is restricted to an app or a site. Name the app's file with `config` or " ..
          "`--config`, or put the header that the hint names into the target's `headers`.",
      },
      {
        "invalidAPIKey",
        "`luath doctor --target NAME` tries the key without a script.",
      },
      {
        "configurationNotFound",
        "Check which project the target names, and whether Authentication is enabled there.",
      },
      {
        "projectDisabled",
        "Check which project the target names, and whether Authentication is enabled there.",
      },
      {
        "internalError",
        "If the response is empty or a web page instead of JSON, another program listens at " ..
          "the address.",
      },
      { "tenantIDMismatch" },
      { "unsupportedTenantOperation" },
      { "invalidTenantID" },
      { "notImplemented" },
      {
        "changeNotAllowed",
        "Nothing was sent. [targets.md](targets.md#changes-need-a-consent) lists what allows " ..
          "changes. A target with `protected = true` and `luath batch plan` allow none.",
      },
    },
  },
}
