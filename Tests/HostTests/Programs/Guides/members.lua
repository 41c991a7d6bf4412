-- Constants, properties and other members of the SDKs, as `spellings.lua` has the calls.
local before = [[
local Auth = require "luath.auth"
local auth = Auth.auth()
local provider = Auth.OAuthProvider("google.com")
provider.customParameters = { login_hint = "user@example.com" }
]]

return {
  before = before,
  given = {
    known = [[
local user = auth:signIn(provider).user
]],
    user = [[
local user = auth:createUser("other@example.com", "correct horse").user
]],
    wrong = [[
local ok, err = pcall(auth.signIn, auth, { email = "user@example.com", password = "wrong horse" })
]],
  },
  spellings = {
    -- Constants and other members of providers and of Auth.
    {
      code = "assert(Auth.EmailAuthProvider.PROVIDER_ID == Auth.EmailAuthProvider.id)\n"
        .. 'assert(Auth.EmailAuthProvider.EMAIL_PASSWORD_SIGN_IN_METHOD == "password")\n'
        .. 'assert(Auth.EmailAuthProvider.EMAIL_LINK_SIGN_IN_METHOD == "emailLink")\n'
        .. "assert(Auth.EmailAuthProviderID == Auth.FIREmailAuthProviderID)",
    },
    {
      code = "assert(Auth.GoogleAuthProvider.PROVIDER_ID == Auth.GoogleAuthProviderID)\n"
        .. "assert(Auth.GoogleAuthProvider.GOOGLE_SIGN_IN_METHOD == Auth.FIRGoogleAuthSignInMethod)\n"
        .. "assert(Auth.PhoneAuthProvider.PROVIDER_ID == Auth.PhoneAuthProviderID)\n"
        .. "assert(Auth.PhoneMultiFactorGenerator.FACTOR_ID == Auth.FactorId.PHONE)\n"
        .. "assert(Auth.TOTPMultiFactorGenerator.FACTOR_ID == Auth.TOTPMultiFactorID)\n"
        .. "assert(Auth.SignInMethod.EMAIL_LINK == Auth.EmailLinkAuthSignInMethod)\n"
        .. 'assert(Auth.ProviderId.GITHUB == "github.com")',
    },
    { code = "print(Auth.GoogleAuthProvider.PROVIDER)", shows = "did you mean 'PROVIDER_ID'?" },
    { code = "print(Auth.PhoneAuthProvider.x)", shows = "its members: id, credential" },
    { code = "print(Auth.SignInMethod.GOGLE)", shows = "did you mean 'GOOGLE'?" },
    { code = "print(Auth.OperationType.SIGN_IN)", shows = "luath returns no operationType" },
    { code = "print(GoogleAuthProviderID)", shows = "write print(Auth.GoogleAuthProviderID)" },
    { code = "print(ProviderId.GOOGLE)", shows = "write print(Auth.ProviderId.GOOGLE)" },
    { code = "auth:signIn(Auth.GoogleAuthProvider())" },
    { code = "local p = Auth.GoogleAuthProvider.new()", shows = "write Auth.GoogleAuthProvider()" },
    {
      code = "local p = Auth.EmailAuthProvider()",
      shows = "write Auth.EmailAuthProvider.credential(email, password)",
    },
    {
      code = "auth:signIn(Auth.GoogleAuthProvider)",
      shows = "write auth:signIn(Auth.GoogleAuthProvider())",
    },
    { code = 'assert(Auth.OAuthProvider.provider{ providerID = "microsoft.com" }.providerId)' },
    { code = "assert(Auth.PhoneAuthProvider.provider().providerId == Auth.PhoneAuthProvider().providerID)" },
    { code = "print(provider.getScopes)", shows = "write provider.scopes" },
    { code = "auth.tenantId = nil auth:useDeviceLanguage()" },
    { code = "auth:setPersistence(1)", shows = 'write auth:save("session.json")' },
    { code = "print(Auth.auth.currentUser)", shows = "write print(Auth.auth().currentUser)" },
    {
      code = "print(Auth.auth.currentUser.providerData[0].uid)",
      shows = "write print(Auth.auth().currentUser.providerData[1].uid)",
    },
    { code = "Auth.auth:signOut()", shows = "write Auth.auth():signOut()" },
    { code = "Auth.auth.signIn(provider)", shows = "write Auth.auth():signIn(provider)" },
    { code = "Auth.ActionCodeURL.parseLink(\"http://x\")", shows = "write Auth.ActionCodeURL(link)" },
    {
      code = 'Auth.EmailAuthProvider:credential("a@x.example", "correct horse")',
      shows = "write Auth.EmailAuthProvider.credential(…), with a dot",
    },
    { code = "local a = Auth.auth; a:signOut()", shows = "write local a = Auth.auth()" },
    { code = "local r = auth:signIn(provider) print(r.uid)", shows = "write result.user.uid" },
    {
      code = "local info = auth:signIn(provider).additionalUserInfo\n"
        .. "assert(info.newUser == info.isNewUser and info.providerId == info.providerID)",
    },
    {
      code = "local r = auth:signIn(provider) print(r.operationType)",
      shows = "the call shows whether it signs in",
    },
    {
      code = "Auth.getRedirectResult(auth)",
      shows = "write in place of both calls local result = Auth.signInWithRedirect(auth, provider)",
    },
    {
      code = "auth:getRedirectResult()",
      shows = "write in place of both calls local result = auth:signInWithRedirect(provider)",
    },

    -- Properties and fields.
    { given = "known", code = 'assert(user.providerData[1].providerId == "google.com")' },
    { given = "known", code = "print(user.metadata.lastSignInTime)", shows = "write lastSignInDate" },
    { given = "known", code = "assert(user.emailVerified == user.isEmailVerified)" },
    { given = "known", code = "assert(user.providerId == user.providerID and not user.tenantId)" },
    { given = "user", code = "assert(user.anonymous == false)" },
    { given = "known", code = "print(user.accessToken)", shows = "write user:getIDToken()" },
    { given = "known", code = "print(user:getIdTokenResult().authTime)", shows = "write authDate" },
    {
      given = "known", code = "print(user.getIDTokenResult.claims)",
      shows = "write print(user:getIDTokenResult().claims)",
    },
    { code = 'print(auth:fetchProviders("a@x.example").length)', shows = "write #list" },
    {
      code = 'print(Auth.fetchSignInMethodsForEmail(auth, "a@x.example"):indexOf("password"))',
      shows = "write list:contains(text)",
    },
    { given = "wrong", code = "print(err.domain)", shows = "write err.code == Auth.ErrorCode" },
  },
}
