--- Names of Firebase's SDKs that luath accepts besides its own; `luath.absent` has the others.
---
--- The only table of spellings: the host reads it to declare aliases and labels, and `luath doc`
--- shows it. It is data, so nothing in it may call a function.
return {
  --- Members of luath.auth: the other name, and the current one.
  members = {
    FIREmailAuthProvider = "EmailAuthProvider",
    FIRFacebookAuthProvider = "FacebookAuthProvider",
    FIRGitHubAuthProvider = "GitHubAuthProvider",
    FIRGoogleAuthProvider = "GoogleAuthProvider",
    FIROAuthProvider = "OAuthProvider",
    FIRPhoneAuthProvider = "PhoneAuthProvider",
    FIRTwitterAuthProvider = "TwitterAuthProvider",
    GithubAuthProvider = "GitHubAuthProvider",
    getAuth = "auth",
    parseActionCodeURL = "ActionCodeURL",
  },

  --- Functions that return a field of their only argument: the class and the field. Those of
  --- `providers` are functions of each provider, the others of luath.auth.
  fields = {
    getAdditionalUserInfo = { "AuthDataResult", "additionalUserInfo" },
    providers = {
      credentialFromError = { "AuthError", "pendingCredential" },
      credentialFromResult = { "AuthDataResult", "credential" },
    },
  },

  --- Methods by class: the other name, and the current one.
  methods = {
    Auth = {
      createUserWithEmail = "createUser",
      createUserWithEmailAndPassword = "createUser",
      confirmPasswordResetWithCode = "confirmPasswordReset",
      fetchProvidersForEmail = "fetchProviders",
      fetchSignInMethodsForEmail = "fetchSignInMethods",
      isSignIn = "isSignInWithEmailLink",
      sendPasswordResetEmail = "sendPasswordReset",
      sendPasswordResetWithEmail = "sendPasswordReset",
      sendSignInLinkToEmail = "sendSignInLink",
      signInAnonymouslyWithCompletion = "signInAnonymously",
      signInAndRetrieveData = "signIn",
      signInAndRetrieveDataWithCredential = "signIn",
      signInWithCredential = "signIn",
      signInWithEmailAndPassword = "signInWithEmail",
      signInWithPopup = "signIn",
      signInWithProvider = "signIn",
      signInWithRedirect = "signIn",
      useDeviceLanguage = "useAppLanguage",
    },
    User = {
      deleteWithCompletion = "delete",
      getIDTokenForcingRefresh = "getIDToken",
      getIDTokenResultForcingRefresh = "getIDTokenResult",
      getIDTokenResultWithCompletion = "getIDTokenResult",
      getIDTokenWithCompletion = "getIDToken",
      getIdToken = "getIDToken",
      getIdTokenResult = "getIDTokenResult",
      linkAndRetrieveData = "link",
      linkAndRetrieveDataWithCredential = "link",
      linkWithCredential = "link",
      linkWithPopup = "link",
      linkWithProvider = "link",
      linkWithRedirect = "link",
      profileChangeRequest = "createProfileChangeRequest",
      reauthenticateAndRetrieveData = "reauthenticate",
      reauthenticateAndRetrieveDataWithCredential = "reauthenticate",
      reauthenticateWithCredential = "reauthenticate",
      reauthenticateWithPopup = "reauthenticate",
      reauthenticateWithProvider = "reauthenticate",
      reauthenticateWithRedirect = "reauthenticate",
      reloadWithCompletion = "reload",
      sendEmailVerificationWithCompletion = "sendEmailVerification",
      sendEmailVerificationWith = "sendEmailVerification",
      unlinkFromProvider = "unlink",
      verifyBeforeUpdateEmail = "sendEmailVerificationBeforeUpdatingEmail",
    },
    UserProfileChangeRequest = { commitChangesWithCompletion = "commitChanges" },
    OAuthProvider = {
      credentialWithUIDelegate = "getCredential",
      getCredentialWith = "getCredential",
      getCredentialWithUIDelegate = "getCredential",
    },
    --- Lists that luath returns.
    list = { containsObject = "contains", includes = "contains" },
  },

  --- Functions of providers: the other name, and the current one; "" is the call of the provider.
  constructors = {
    EmailAuthProvider = { credentialWithEmail = "credential" },
    FacebookAuthProvider = { credentialWithAccessToken = "credential" },
    GitHubAuthProvider = { credentialWithToken = "credential" },
    GoogleAuthProvider = { credentialWithIDToken = "credential" },
    OAuthProvider = {
      appleCredentialWithIDToken = "appleCredential",
      credentialWithProviderID = "credential",
      provider = "",
      providerWithProviderID = "",
    },
    PhoneAuthProvider = {
      credentialWithVerificationID = "credential", provider = "", providerWithAuth = "",
    },
    TwitterAuthProvider = { credentialWithToken = "credential" },
  },

  --- Other names of properties by class, and the current ones.
  properties = {
    Auth = { tenantId = "tenantID" },
    Credential = { providerId = "providerID" },
    OAuthProvider = { providerId = "providerID" },
    PhoneAuthProvider = { providerId = "providerID" },
    User = {
      anonymous = "isAnonymous",
      emailVerified = "isEmailVerified",
      providerId = "providerID",
      tenantId = "tenantID",
    },
  },

  --- The same of tables that luath.auth returns.
  records = {
    AdditionalUserInfo = { newUser = "isNewUser", providerId = "providerID" },
    UserInfo = { providerId = "providerID" },
  },

  --- The JavaScript SDK's functions: the class and the method that is called with the first
  --- argument as its object, so that `Auth.linkWithPopup(user, provider)` is `user:link(provider)`.
  functions = {
    applyActionCode = { "Auth", "applyActionCode" },
    checkActionCode = { "Auth", "checkActionCode" },
    confirmPasswordReset = { "Auth", "confirmPasswordReset" },
    createUserWithEmailAndPassword = { "Auth", "createUser" },
    deleteUser = { "User", "delete" },
    fetchSignInMethodsForEmail = { "Auth", "fetchSignInMethods" },
    getIdToken = { "User", "getIDToken" },
    getIdTokenResult = { "User", "getIDTokenResult" },
    initializeRecaptchaConfig = { "Auth", "initializeRecaptchaConfig" },
    isSignInWithEmailLink = { "Auth", "isSignInWithEmailLink" },
    linkWithCredential = { "User", "link" },
    linkWithPhoneNumber = { "User", "linkWithPhoneNumber" },
    linkWithPopup = { "User", "link" },
    linkWithRedirect = { "User", "link" },
    onAuthStateChanged = { "Auth", "onAuthStateChanged" },
    onIdTokenChanged = { "Auth", "onIDTokenChanged" },
    reauthenticateWithCredential = { "User", "reauthenticate" },
    reauthenticateWithPhoneNumber = { "User", "reauthenticateWithPhoneNumber" },
    reauthenticateWithPopup = { "User", "reauthenticate" },
    reauthenticateWithRedirect = { "User", "reauthenticate" },
    reload = { "User", "reload" },
    revokeAccessToken = { "Auth", "revokeToken" },
    sendEmailVerification = { "User", "sendEmailVerification" },
    sendPasswordResetEmail = { "Auth", "sendPasswordReset" },
    sendSignInLinkToEmail = { "Auth", "sendSignInLink" },
    signInAnonymously = { "Auth", "signInAnonymously" },
    signInWithCredential = { "Auth", "signIn" },
    signInWithCustomToken = { "Auth", "signInWithCustomToken" },
    signInWithEmailAndPassword = { "Auth", "signInWithEmail" },
    signInWithEmailLink = { "Auth", "signInWithEmailLink" },
    signInWithPhoneNumber = { "Auth", "signInWithPhoneNumber" },
    signInWithPopup = { "Auth", "signIn" },
    signInWithRedirect = { "Auth", "signIn" },
    signOut = { "Auth", "signOut" },
    unlink = { "User", "unlink" },
    updateCurrentUser = { "Auth", "updateCurrentUser" },
    updateEmail = { "User", "updateEmail" },
    updatePassword = { "User", "updatePassword" },
    updatePhoneNumber = { "User", "updatePhoneNumber" },
    updateProfile = { "User", "updateProfile" },
    useDeviceLanguage = { "Auth", "useAppLanguage" },
    validatePassword = { "Auth", "validatePassword" },
    verifyBeforeUpdateEmail = { "User", "sendEmailVerificationBeforeUpdatingEmail" },
    verifyPasswordResetCode = { "Auth", "verifyPasswordResetCode" },
  },

  --- Argument labels as keys of one table, by the function's usage: the position of the argument,
  --- the option of the first argument that has the value, or the position and the option.
  labels = {
    ["auth:confirmPasswordReset"] = { withCode = 1, newPassword = 2 },
    ["auth:createUser"] = { withEmail = 1, email = 1, password = 2 },
    ["auth:fetchProviders"] = { forEmail = 1, email = 1 },
    ["auth:fetchSignInMethods"] = { forEmail = 1, email = 1 },
    ["auth:isSignInWithEmailLink"] = { withEmailLink = 1 },
    ["auth:sendPasswordReset"] = { withEmail = 1, email = 1, actionCodeSettings = 2 },
    ["auth:sendSignInLink"] = { toEmail = 1, actionCodeSettings = 2 },
    ["auth:signIn"] = {
      with = 1, withCredential = 1, credential = 1, withProvider = 1, provider = 1, uiDelegate = 2,
      UIDelegate = 2, signInWithEmail = "email", withEmail = "email", password = "password",
      link = "link", withCustomToken = "customToken",
    },
    ["auth:signInWithCustomToken"] = { withCustomToken = 1 },
    ["auth:signInWithEmail"] = { withEmail = 1, email = 1, password = 2 },
    ["provider:credential"] = { with = 1, uiDelegate = 1, UIDelegate = 1 },
    ["provider:getCredential"] = {
      with = 1, uiDelegate = 1, UIDelegate = 1, raisesConflict = { 2, "raisesConflict" },
    },
    ["user:getIDToken"] = { forcingRefresh = 1 },
    ["user:getIDTokenResult"] = { forcingRefresh = 1 },
    ["user:link"] = {
      with = 1, withCredential = 1, credential = 1, withProvider = 1, provider = 1, uiDelegate = 2,
      UIDelegate = 2,
    },
    ["user:reauthenticate"] = {
      with = 1, withCredential = 1, credential = 1, withProvider = 1, provider = 1, uiDelegate = 2,
      UIDelegate = 2,
    },
    ["user:sendEmailVerificationBeforeUpdatingEmail"] = {
      beforeUpdatingEmail = 1, actionCodeSettings = 2,
    },
    ["user:unlink"] = { fromProvider = 1 },
    ["user:updateEmail"] = { to = 1 },
    ["user:updatePassword"] = { to = 1 },
    ["Auth.OAuthProvider"] = { providerID = 1, providerId = 1, id = 1, auth = 2 },
    ["EmailAuthProvider.credential"] = { withEmail = 1, email = 1, password = 2 },
    ["EmailAuthProvider.credentialWithLink"] = { withEmail = 1, link = 2 },
    ["FacebookAuthProvider.credential"] = { withAccessToken = 1 },
    ["GitHubAuthProvider.credential"] = { withToken = 1 },
    ["GoogleAuthProvider.credential"] = { withIDToken = 1, accessToken = 2 },
    ["OAuthProvider.appleCredential"] = { withIDToken = 1, rawNonce = 2, fullName = 3 },
    ["OAuthProvider.credential"] = {
      withProviderID = "providerID", providerID = "providerID", IDToken = "idToken",
      idToken = "idToken", rawNonce = "rawNonce", accessToken = "accessToken",
    },
    ["OAuthProvider.provider"] = { providerID = 1, providerWithProviderID = 1, auth = 2 },
    ["PhoneAuthProvider.provider"] = { auth = 1 },
    ["TwitterAuthProvider.credential"] = { withToken = 1, secret = 2 },
  },

  --- Fields of errors: the other name, and the field; "" is the error itself, whose fields are then
  --- read by the keys below.
  errors = {
    credential = "pendingCredential",
    customData = "",
    localizedDescription = "message",
    userInfo = "",
  },

  --- Constants of luath.auth.
  constants = {
    AuthErrorUserInfoEmailKey = "email",
    AuthErrorUserInfoMultiFactorResolverKey = "resolver",
    AuthErrorUserInfoNameKey = "name",
    AuthErrorUserInfoUpdatedCredentialKey = "pendingCredential",
    FIRAuthErrorUserInfoEmailKey = "email",
    FIRAuthErrorUserInfoMultiFactorResolverKey = "resolver",
    FIRAuthErrorUserInfoNameKey = "name",
    FIRAuthErrorUserInfoUpdatedCredentialKey = "pendingCredential",
  },

  --- Ids of providers and sign-in methods in luath.auth, each also with FIR before its name.
  ids = {
    EmailAuthProviderID = "password",
    EmailLinkAuthSignInMethod = "emailLink",
    EmailPasswordAuthSignInMethod = "password",
    FacebookAuthProviderID = "facebook.com",
    FacebookAuthSignInMethod = "facebook.com",
    GitHubAuthProviderID = "github.com",
    GitHubAuthSignInMethod = "github.com",
    GoogleAuthProviderID = "google.com",
    GoogleAuthSignInMethod = "google.com",
    PhoneAuthProviderID = "phone",
    PhoneAuthSignInMethod = "phone",
    PhoneMultiFactorID = "phone",
    TOTPMultiFactorID = "totp",
    TwitterAuthProviderID = "twitter.com",
    TwitterAuthSignInMethod = "twitter.com",
  },

  --- Such ids in tables of luath.auth, as in the JavaScript SDK.
  tables = {
    EmailAuthProvider = {
      EMAIL_LINK_SIGN_IN_METHOD = "emailLink", EMAIL_PASSWORD_SIGN_IN_METHOD = "password",
      PROVIDER_ID = "password",
    },
    FacebookAuthProvider = {
      FACEBOOK_SIGN_IN_METHOD = "facebook.com", PROVIDER_ID = "facebook.com",
    },
    FactorId = { PHONE = "phone", TOTP = "totp" },
    GitHubAuthProvider = { GITHUB_SIGN_IN_METHOD = "github.com", PROVIDER_ID = "github.com" },
    GoogleAuthProvider = { GOOGLE_SIGN_IN_METHOD = "google.com", PROVIDER_ID = "google.com" },
    PhoneAuthProvider = { PHONE_SIGN_IN_METHOD = "phone", PROVIDER_ID = "phone" },
    PhoneMultiFactorGenerator = { FACTOR_ID = "phone" },
    ProviderId = {
      FACEBOOK = "facebook.com", GITHUB = "github.com", GOOGLE = "google.com",
      PASSWORD = "password", PHONE = "phone", TWITTER = "twitter.com",
    },
    SignInMethod = {
      EMAIL_LINK = "emailLink", EMAIL_PASSWORD = "password", FACEBOOK = "facebook.com",
      GITHUB = "github.com", GOOGLE = "google.com", PHONE = "phone", TWITTER = "twitter.com",
    },
    TOTPMultiFactorGenerator = { FACTOR_ID = "totp" },
    TwitterAuthProvider = { PROVIDER_ID = "twitter.com", TWITTER_SIGN_IN_METHOD = "twitter.com" },
  },
}
