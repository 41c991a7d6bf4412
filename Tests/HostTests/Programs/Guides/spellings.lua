-- What a reader of Firebase's guides writes, literally. Each spelling works, or fails with an error that
-- shows the line to write: `shows` is in its message or hint.
--
-- Scripts that work run after `before`, and `given` names more lines of it.
local before = [[
local Auth = require "luath.auth"
local auth = Auth.auth()
local provider = Auth.OAuthProvider("google.com")
provider.customParameters = { login_hint = "user@example.com" }
]]
local given = {
  credential = [[
local credential = provider:getCredential()
]],
  user = [[
local user = auth:createUser("other@example.com", "correct horse").user
local credential = provider:getCredential()
]],
  known = [[
local user = auth:signIn(provider).user
local credential = provider:getCredential()
]],
  password = [[
require("luath.emulator").configure { enumerationProtection = false }
auth:createUser("user@example.com", "correct horse")
auth:signOut()
]],
  conflict = [[
auth:createUser("user@example.com", "correct horse")
local microsoft = Auth.OAuthProvider("microsoft.com")
microsoft.customParameters = { login_hint = "user@example.com" }
local _, err = pcall(auth.signIn, Auth.session(), microsoft)
]],
  token = [[
local client = require("luath.oidc").client {
  issuer = "https://auth.example.com", clientID = "luath-client-oidc.example-provider",
  clientSecret = "luath-secret-oidc.example-provider", redirectURI = "http://127.0.0.1:8910/",
}
local idToken = client:signIn(nil, { nonce = false }).idToken
]],
}

local declared = "write local credential = provider:getCredential()"
local callback = "write local result = "
local signIn = "auth:signIn(credential)"
local constructor = 'local p = Auth.OAuthProvider("microsoft.com")'

return {
  before = before,
  given = given,
  spellings = {
    -- The provider.
    { code = "assert(Auth() == auth)" },
    { code = "assert(Auth.auth() == auth)" },
    { code = "assert(Auth.getAuth() == auth)" },
    { code = "local a = Auth.auth().currentUser" },
    { code = "local a = FIRAuth.auth()", shows = "write local a = Auth.auth()" },
    { code = "Auth.FIRAuth.auth()", shows = "write local auth = Auth.auth()" },
    { code = "local auth = Auth.initializeAuth()", shows = "write local auth = Auth.auth()" },
    { code = 'local p = Auth.OAuthProvider{ providerID = "microsoft.com" } p:getCredential()' },
    { code = 'Auth.OAuthProvider.providerWithProviderID("microsoft.com"):getCredential()' },
    {
      code = 'local p = Auth.OAuthProvider(providerID: "microsoft.com")',
      shows = 'write local p = Auth.OAuthProvider{ providerID = "microsoft.com" }',
    },
    { code = 'local p = OAuthProvider("microsoft.com")', shows = "write " .. constructor },
    { code = 'local p = FIROAuthProvider("microsoft.com")', shows = "write " .. constructor },
    {
      code = 'local p = Auth.OAuthProvider.new("microsoft.com")',
      shows = 'write Auth.OAuthProvider("microsoft.com")',
    },
    {
      code = 'local p = Auth:OAuthProvider("microsoft.com")',
      shows = "write Auth.OAuthProvider(…), with a dot",
    },
    { code = 'local p = new Auth.OAuthProvider("microsoft.com")', shows = constructor },
    { code = 'var p = Auth.OAuthProvider("microsoft.com")', shows = constructor },
    { code = 'Auth.FIROAuthProvider.providerWithProviderID("microsoft.com"):getCredential()' },
    { code = 'FIROAuthProvider *p = Auth.OAuthProvider("microsoft.com")', shows = constructor },

    -- Parameters and scopes.
    { code = 'provider.customParameters = { prompt = "consent" } auth:signIn(provider)' },
    { code = 'auth:signIn(provider:setCustomParameters{ prompt = "consent" })' },
    {
      code = 'provider.customParameters = [ "prompt": "consent" ]',
      shows = 'write provider.customParameters = { prompt = "consent" }',
    },
    {
      code = '[provider setCustomParameters:@{@"prompt": @"consent"}];',
      shows = "this is Objective-C; write ",
    },
    { code = 'provider.scopes = { "mail.read" } assert(#provider.scopes == 1)' },
    { code = 'provider:setScopes{ "mail.read" } assert(#provider.scopes == 1)' },
    { code = 'provider:addScope("mail.read"):addScope("x") assert(#provider.scopes == 2)' },
    {
      code = 'provider.scopes = ["mail.read", "calendars.read"]',
      shows = 'write provider.scopes = { "mail.read", "calendars.read" }',
    },

    {
      code = 'provider.customParameters = { client_id = "app" } provider:getCredential()',
      shows = "remove it from provider.customParameters",
    },
    {
      code = 'provider.customParameters = { response_type = "code" } provider:getCredential()',
      shows = "remove it from provider.customParameters",
    },
    {
      code = 'provider.customParameters = { redirect_uri = "http://a" } provider:getCredential()',
      shows = "remove it from provider.customParameters",
    },
    {
      code = 'provider.customParameters = { state = "1", response_mode = "query" } provider:getCredential()',
      shows = "remove it from provider.customParameters",
    },
    {
      code = 'provider.customParameters = { scope = "email" } provider:getCredential()',
      shows = "ask for permissions with provider.scopes instead",
    },

    -- The credential.
    { code = "assert(provider:getCredential().providerID)" },
    { code = "assert(provider:getCredentialWith(nil).providerID)" },
    { code = "assert(provider:credentialWithUIDelegate(nil).providerID)" },
    { code = "assert(provider:getCredentialWithUIDelegate(nil).providerID)" },
    { code = "assert(provider:credential(nil).providerID)" },
    { code = "local delegate = AuthUIDelegate", shows = "write local delegate = function(request)" },
    { code = "local credential = AuthCredential", shows = declared },
    { code = "FIRAuthCredential *credential = nil", shows = "variables are declared with local" },
    { code = "local credential = FIRAuthCredential", shows = declared },
    {
      code = "provider:getCredential(function(credential, error) end)",
      shows = callback .. "provider:getCredential()",
    },
    {
      code = "provider:getCredentialWith(nil, function(credential, error) end)",
      shows = callback .. "provider:getCredential()",
    },
    {
      code = "provider:getCredentialWithUIDelegate(nil, function(credential, error) end)",
      shows = callback .. "provider:getCredential()",
    },
    {
      given = "conflict",
      code = "local ok, err = pcall(microsoft.getCredentialWith, microsoft, nil, { raisesConflict = true })\n"
        .. "assert(err.code == Auth.AuthErrorCode.accountExistsWithDifferentCredential)\n"
        .. "assert(err.email and err.pendingCredential)",
    },
    {
      code = "provider.getCredentialWith(nil)",
      shows = "write provider:getCredential(…), with a colon",
    },
    {
      code = "provider.getCredentialWith(nil) { credential, error in\n}",
      shows = "write local credential = provider:getCredentialWith(nil)",
    },

    -- Sign-in.
    { given = "credential", code = "auth:signIn(credential)" },
    { given = "credential", code = "auth:signIn{ with = credential }" },
    { given = "credential", code = "auth:signInWithCredential(credential)" },
    { given = "credential", code = "auth:signInAndRetrieveData{ with = credential }" },
    { given = "credential", code = "auth:signInAndRetrieveDataWithCredential(credential)" },
    {
      given = "credential", code = "auth:signIn(with: credential)",
      shows = "write auth:signIn{ with = credential }",
    },
    {
      given = "credential", code = "auth.signIn(credential)",
      shows = "write auth:signIn(…), with a colon",
    },
    {
      given = "credential", code = "auth:signIn(credential, function(authResult, error) end)",
      shows = callback .. "auth:signIn(credential)",
    },
    {
      given = "credential", code = "auth:signIn({ with = credential }, function(result, error) end)",
      shows = "luath has no callbacks: the call waits and returns its result; " .. callback,
    },
    {
      code = 'auth:signIn("microsoft.com")',
      shows = 'write auth:signIn(Auth.OAuthProvider("microsoft.com"))',
    },
    { given = "credential", code = "local r = await auth:signIn(credential)", shows = signIn },
    { given = "credential", code = "auth:signIn(credential).then(print)", shows = signIn },
    { given = "credential", code = "auth:signIn(credential).then(r => r)", shows = signIn },
    {
      given = "credential",
      code = "[[FIRAuth auth] signInWithCredential:credential completion:nil];",
      shows = "this is Objective-C; write Auth.auth():signInWithCredential(credential)",
    },
    { given = "credential", code = "Auth.signIn(credential)", shows = "write auth:signIn(…)" },
    {
      code = "assert(Auth.getAdditionalUserInfo(auth:signIn(provider)).profile and "
        .. "auth:signIn(provider).additionalUserInfo.isNewUser == false)",
    },
    {
      code = "local token = auth:signIn(Auth.OAuthProvider('microsoft.com')).credential\n"
        .. "local claims = require('luath.crypto').claims(token.idToken)\n"
        .. "assert(token.accessToken and claims.sub and claims.oid)",
    },
    { code = "local r = Auth.OAuthCredential", shows = "write result.credential.accessToken" },
    { code = "local r = FIROAuthCredential", shows = "authResult.credential.accessToken" },
    { code = "local r = OAuthCredential", shows = "authResult.credential.accessToken" },
    { code = "local r = FIRAuthDataResult", shows = "write local authResult = auth:signIn(credential)" },
    { code = "local u = FIRUser", shows = "write local user = auth:signIn(credential).user" },
    { code = "Auth.signInWithPopup(auth, provider)" },
    { code = "auth:signInWithPopup(provider)" },
    {
      given = "password",
      code = 'auth:signIn{ withEmail = "user@example.com", password = "correct horse" }',
    },
    { given = "password", code = 'auth:signInWithEmail("user@example.com", "correct horse")' },
    {
      given = "password",
      code = 'auth:signInWithEmailAndPassword("user@example.com", "correct horse")',
    },
    {
      given = "password",
      code = 'Auth.signInWithEmailAndPassword(auth, "user@example.com", "correct horse")',
    },
    { code = 'auth:createUser{ withEmail = "user@example.com", password = "correct horse" }' },

    { code = 'auth:createUserWithEmail("user@example.com", "correct horse")' },
    { code = "auth:signInAnonymouslyWithCompletion()" },

    -- The user.
    {
      given = "user",
      code = 'local request = user:createProfileChangeRequest() request.displayName = "Ada"\n'
        .. 'request.photoURL = "https://example.com/a.png" request:commitChanges()\n'
        .. 'assert(user.displayName == "Ada" and user.photoURL)',
    },
    {
      given = "user",
      code = 'local request = user:profileChangeRequest() request.displayName = "Ada"\n'
        .. 'request:commitChangesWithCompletion() assert(user.displayName == "Ada")\n'
        .. 'local other = user:createProfileChangeRequest() assert(other.displayName == nil)\n'
        .. 'other.displayName = nil other:commitChanges() assert(user.displayName == nil)',
    },
    { given = "user", code = 'Auth.updateProfile(user, { displayName = "Ada" })' },
    { given = "user", code = "assert(user:getIDTokenWithCompletion())" },
    { given = "user", code = "assert(Auth.getIdToken(user, true))" },
    { given = "user", code = "user:reloadWithCompletion() user:sendEmailVerificationWithCompletion()" },
    { given = "user", code = "user:deleteWithCompletion()" },

    -- Link and reauthenticate.
    { given = "user", code = "user:link{ withCredential = credential }" },
    { given = "user", code = "user:link{ with = credential }" },
    {
      given = "user", code = "Auth.link(user, credential)", shows = "write user:link(…)",
    },
    {
      given = "user", code = "user:linkWithCredential(credential, function(authResult, error) end)",
      shows = callback .. "user:link(credential)",
    },
    { given = "user", code = "user:linkWithCredential(credential)" },
    { given = "user", code = "user:linkAndRetrieveData{ with = credential }" },
    { given = "user", code = "user:linkWithPopup(provider)" },
    { given = "user", code = "Auth.linkWithPopup(user, provider)" },
    {
      given = "credential", code = "auth.currentUser:link(credential)",
      shows = "call auth:signIn(credential)",
    },
    { given = "known", code = "user:reauthenticate{ with = credential }" },
    { given = "known", code = "user:reauthenticateWithCredential{ withCredential = credential }" },
    { given = "known", code = "user:reauthenticateAndRetrieveData{ with = credential }" },
    { given = "known", code = "user:reauthenticateWithPopup(provider)" },
    { given = "known", code = "user:reauthenticateWithRedirect(provider)" },
    {
      given = "known",
      code = "user:reauthenticateWithCredential(credential, function(authResult, error) end)",
      shows = callback .. "user:reauthenticate(credential)",
    },
    {
      given = "known", code = "user:link(provider, function(authResult, error) end)",
      shows = callback .. "user:link(provider)",
    },
    { given = "known", code = "assert(user.providerData[1].uid)" },
    { given = "known", code = "print(user.providerData[0].uid)", shows = "first item is list[1]" },
    { code = "print(auth:signIn(provider).usr)", shows = "did you mean 'user'?" },
    { given = "conflict", code = "print(err.emial)", shows = "did you mean 'email'?" },
    { given = "conflict", code = "assert(err.resolver == nil and err.status == nil)" },

    -- The sign-in methods of an address.
    {
      given = "password",
      code = 'assert(auth:fetchProviders{ forEmail = "user@example.com" }:contains("password"))',
    },
    {
      given = "password",
      code = 'local all = auth:fetchProvidersForEmail("user@example.com")\n'
        .. "assert(all:containsObject(Auth.FIREmailAuthProviderID) and all:includes(\"password\"))",
    },

    { code = "local providers = NSArray", shows = "write local providers = auth:fetchProviders(email)" },

    -- Credentials from tokens.
    {
      given = "token",
      code = 'local p = Auth.OAuthProvider("oidc.example-provider")\n'
        .. "auth:signIn(p:credential{ idToken = idToken, rawNonce = nil })",
    },
    {
      given = "token",
      code = 'local p = Auth.OAuthProvider("oidc.example-provider")\n'
        .. "auth:signIn(p.credential{ idToken = idToken })",
      shows = "write provider:credential(…), with a colon",
    },
    {
      given = "token",
      code = "auth:signIn(Auth.FIROAuthProvider.credentialWithProviderID{\n"
        .. '  providerID = "oidc.example-provider", IDToken = idToken, rawNonce = nil })',
    },
    {
      given = "token",
      code = "auth:signIn(Auth.OAuthProvider.credential{\n"
        .. '  withProviderID = "oidc.example-provider", idToken = idToken, rawNonce = nil })',
    },
    {
      given = "token",
      code = "auth:signIn(Auth.OAuthProvider.credentialWithProviderID(\n"
        .. '  "oidc.example-provider", idToken, nil))',
    },

    -- Errors.
    {
      given = "conflict",
      code = "assert(err.code == Auth.AuthErrorCode.accountExistsWithDifferentCredential)",
    },
    {
      given = "conflict",
      code = "assert(err.code == Auth.FIRAuthErrorCodeAccountExistsWithDifferentCredential)",
    },
    {
      given = "conflict",
      code = "print(err.code == Auth.AuthErrorCode.accountExistsWithDifferentCredential.rawValue)",
      shows = "write print(err.code == Auth.ErrorCode.accountExistsWithDifferentCredential)",
    },
    { given = "conflict", code = "print(err.code == 17012)", shows = "err.rawValue == 17012" },
    {
      given = "conflict",
      code = 'print(err.code == "auth/account-exists-with-different-credential")',
      shows = 'err.webCode == "auth/account-exists-with-different-credential"',
    },
    {
      given = "conflict",
      code = 'assert(err.userInfo[Auth.AuthErrorUserInfoEmailKey] == "user@example.com")',
    },
    {
      given = "conflict",
      code = "auth.currentUser:link(err.userInfo[Auth.AuthErrorUserInfoUpdatedCredentialKey])",
    },
    { given = "conflict", code = 'assert(err.customData.email == "user@example.com")' },
    {
      given = "conflict",
      code = "auth.currentUser:link(Auth.OAuthProvider.credentialFromError(err))",
    },
    {
      code = "local credential = Auth.OAuthProvider.credentialFromResult(auth:signIn(provider))\n"
        .. "assert(credential.accessToken)",
    },

    { code = "local ok = NSError", shows = "write local ok, err = pcall(auth.signIn, auth, credential)" },
    { code = "local email = NSString", shows = "write local email = err.email" },
    {
      given = "conflict",
      code = 'assert(err.userInfo[Auth.FIRAuthErrorUserInfoEmailKey] == "user@example.com")\n'
        .. "assert(err.userInfo[Auth.FIRAuthErrorUserInfoUpdatedCredentialKey])",
    },

    -- Sign-out.
    { given = "user", code = "auth:signOut() assert(auth.currentUser == nil)" },
    { given = "user", code = "Auth.signOut(auth) assert(auth.currentUser == nil)" },
    { code = 'NSLog(@"Error signing out: %@", err)', shows = "write " },
    { code = "local status = BOOL", shows = "write local ok, err = pcall(auth.signOut, auth)" },
    {
      code = "do { try auth.signOut() } catch let e as NSError { print(e) }",
      shows = "local ok, e = pcall(auth.signOut, auth)",
    },
    {
      code = "[[FIRAuth auth] signOut:&signOutError];",
      shows = "write local ok, signOutError = pcall(Auth.auth().signOut, Auth.auth())",
    },

    -- Other languages.
    { code = "local error if error != nil then end", shows = "write local error if error ~= nil" },
    { code = "local error if error && error.code then end", shows = "if error and error.code then" },
    { code = "local count = 0 count += 1", shows = "count = count + 1" },
    { code = "local page page:goto(1)", shows = "page:go(1)" },
    { code = "try auth:signOut()", shows = "write local ok, err = pcall(auth.signOut, auth)" },
    { code = "local user = null", shows = "write local user = nil" },
    { code = "console.log(auth)", shows = "write print(auth)" },
    { code = "// a comment", shows = "write -- a comment" },
    { code = "let credential = provider:getCredential()", shows = "write local credential = " },
  },
}
