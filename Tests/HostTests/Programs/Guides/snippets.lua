-- The snippets of five guides of Firebase: their calls in Swift and Objective-C, and luath's.
--
-- `guides` names the snippets of each guide in the order of the page, where each has one block in
-- Swift and one in Objective-C. `luath` runs after `before`; `check` must hold afterwards.
local auth = [[
local Auth = require "luath.auth"
local auth = Auth.auth()
]]
local microsoft = auth .. [[
local provider = Auth.OAuthProvider("microsoft.com")
]]
local yahoo = auth .. [[
local provider = Auth.OAuthProvider("yahoo.com")
provider.customParameters = { login_hint = "user@yahoo.com" }
]]
local oidc = auth .. [[
local provider = Auth.OAuthProvider("oidc.example-provider")
provider.customParameters = { login_hint = "user@example.com" }
]]
local hinted = microsoft .. [[
provider.customParameters = { login_hint = "user@firstadd.onmicrosoft.com" }
]]
local anonymous = [[
auth:signInAnonymously()
local credential = provider:getCredential()
]]
local again = [[
auth:signIn(provider)
local credential = provider:getCredential()
]]

local signIn = [[
local credential = provider:getCredentialWith(nil)
local authResult = auth:signIn{ with = credential }
local profile = authResult.additionalUserInfo.profile
local accessToken = authResult.credential.accessToken
local idToken = authResult.credential.idToken
]]
local link = [[
local authResult = auth.currentUser:link{ withCredential = credential }
]]
local reauthenticate = [[
local authResult = auth.currentUser:reauthenticateWithCredential{ withCredential = credential }
]]
local signOut = [[
local ok, signOutError = pcall(auth.signOut, auth)
if not ok then
  print("Error signing out:", signOutError)
end
]]
local merge = [[
local credential = provider:getCredentialWith(nil)
local ok, err = pcall(auth.signInAndRetrieveData, auth, { with = credential })
if not ok and err.code == Auth.AuthErrorCode.accountExistsWithDifferentCredential then
  local existingAcctEmail = err.userInfo[Auth.AuthErrorUserInfoEmailKey]
  local pendingCred = err.userInfo[Auth.AuthErrorUserInfoUpdatedCredentialKey]
  local providers = auth:fetchProviders{ forEmail = existingAcctEmail }
  if providers:contains(Auth.EmailAuthProviderID) then
    auth:signIn{ withEmail = existingAcctEmail, password = password }
    auth.currentUser:linkAndRetrieveData{ with = pendingCred }
  end
end
]]
-- New projects protect against e-mail enumeration; the guides are older.
local existing = [[
require("luath.emulator").configure { enumerationProtection = false }
local password = "correct horse"
auth:createUser(provider.customParameters.login_hint, password)
auth:signOut()
]]
-- Yahoo vouches for addresses of its own, whose accounts it takes over.
local foreign = [[
provider.customParameters = { login_hint = "user@example.com" }
]]
local merged = [[
assert(not ok and #auth.currentUser.providerData == 2)
]]
local isSignedIn = [[
assert(profile and accessToken and idToken and auth.currentUser.uid == authResult.user.uid)
]]
local isLinked = [[
assert(not authResult.user.isAnonymous and authResult.credential)
]]
local isReauthenticated = [[
assert(authResult.user.uid == auth.currentUser.uid and authResult.credential.accessToken)
]]
local isSignedOut = "assert(ok and auth.currentUser == nil)"

local swift = {
  signIn = [[provider.getCredentialWith(nil) { credential, error in
  if error != nil {
    // Handle error.
  }
  if credential != nil {
    Auth().signIn(with: credential) { authResult, error in
      if error != nil {
        // Handle error.
      }
      // User is signed in.
    }
  }
}]],
  link = [[Auth().currentUser.link(withCredential: credential) { authResult, error in
  if error != nil {
    // Handle error.
  }
}]],
  reauthenticate = [[
Auth().currentUser.reauthenticateWithCredential(withCredential: credential) { authResult, error in
  if error != nil {
    // Handle error.
  }
}]],
  merge = [[provider.getCredentialWith(nil) { credential, error in
  // An account with the same email already exists.
  if (error as NSError?)?.code == AuthErrorCode.accountExistsWithDifferentCredential.rawValue {
    let existingAcctEmail = (error! as NSError).userInfo[AuthErrorUserInfoEmailKey] as! String
    let pendingCred = (error! as NSError).userInfo[AuthErrorUserInfoUpdatedCredentialKey] as! AuthCredential
    Auth.auth().fetchProviders(forEmail:existingAcctEmail) { providers, error in
      if (providers?.contains(EmailAuthProviderID))! {
        Auth.auth().signIn(withEmail:existingAcctEmail, password:password) { user, error in
          if user != nil {
            Auth.auth().currentUser?.linkAndRetrieveData(with: pendingCred) { result, error in
              // ...
            }
          }
        }
      }
    }
    return
  }
  // Other errors.
  if error != nil {
    return
  }
  if credential != nil {
    Auth.auth().signInAndRetrieveData(with: credential!) { result, error in
      if error != nil {
        return
      }
    }
  }
}]],
  signOut = [[let firebaseAuth = Auth.auth()
do {
  try firebaseAuth.signOut()
} catch let signOutError as NSError {
  print("Error signing out: %@", signOutError)
}]],
}
-- As in the guide that has lost its line breaks.
local objc = {
  signIn = [=[// Pass a delegate instead of nil: [provider getCredentialWithUIDelegate:nil completion:^(]=]
    .. [=[FIRAuthCredential *_Nullable credential, NSError *_Nullable error) { if (error) { // Handle error. } ]=]
    .. [=[if (credential) { [[FIRAuth auth] signInWithCredential:credential completion:^(]=]
    .. [=[FIRAuthDataResult *_Nullable authResult, NSError *_Nullable error) { if (error) { // Handle error. } ]=]
    .. [=[// OAuth ID token: // ((FIROAuthCredential *)authResult.credential).idToken }]; } }];]=],
  link = [=[[[FIRAuth auth].currentUser
    linkWithCredential:credential
            completion:^(FIRAuthDataResult * _Nullable authResult, NSError * _Nullable error) {
  if (error) {
    // Handle error.
  }
}];]=],
  reauthenticate = [=[[[FIRAuth auth].currentUser reauthenticateWithCredential:credential completion:^(]=]
    .. [=[FIRAuthDataResult * _Nullable authResult, NSError * _Nullable error) { if (error) { // Handle error. } }];]=],
  merge = [=[[provider getCredentialWithUIDelegate:nil
  completion:^(FIRAuthCredential *_Nullable credential, NSError *_Nullable error) {
    if (error.code == FIRAuthErrorCodeAccountExistsWithDifferentCredential) {
      NSString *existingAcctEmail = error.userInfo[FIRAuthErrorUserInfoEmailKey];
      FIRAuthCredential *pendingCred = error.userInfo[FIRAuthErrorUserInfoUpdatedCredentialKey];
      [[FIRAuth auth] fetchProvidersForEmail:existingAcctEmail
                                  completion:^(NSArray<NSString *> *_Nullable providers,
                                               NSError *_Nullable error) {
        if ( [providers containsObject:FIREmailAuthProviderID] ) {
          [[FIRAuth auth] signInWithEmail:existingAcctEmail
                                 password:password
                               completion:^(FIRUser *user, NSError *error) {
            if (user) {
              [[FIRAuth auth].currentUser linkWithCredential:pendingCred
                                                  completion:^(FIRUser *_Nullable user,
                                                               NSError *_Nullable error) {
              }];
            }
          }];
        }
      }];
      return;
    }
    if (error) {
      return;
    }
    if (credential) {
      [[FIRAuth auth] signInAndRetrieveDataWithCredential:credential completion:nil];
    }
}];]=],
  signOut = [=[NSError *signOutError; BOOL status = [[FIRAuth auth] signOut:&signOutError]; if (!status) { ]=]
    .. [=[NSLog(@"Error signing out: %@", signOutError); return; }]=],
}

local function ofProvider(id, before, words)
  return {
    id = words .. ".provider", before = auth,
    swift = 'var provider = OAuthProvider(providerID: "' .. id .. '")',
    objc = 'FIROAuthProvider *provider = [FIROAuthProvider providerWithProviderID:@"' .. id .. '"];',
    luath = 'local provider = Auth.OAuthProvider{ providerID = "' .. id .. '" }',
    check = 'assert(provider.providerID == "' .. id .. '")',
  }
end

local function common(name, before, hasMerge)
  local all = {
    {
      id = name .. ".signIn", before = before, luath = signIn, check = isSignedIn,
      swift = swift.signIn, objc = objc.signIn,
    },
    {
      id = name .. ".link", before = before .. anonymous, luath = link, check = isLinked,
      swift = swift.link, objc = objc.link,
    },
    {
      id = name .. ".reauthenticate", before = before .. again, luath = reauthenticate,
      check = isReauthenticated, swift = swift.reauthenticate, objc = objc.reauthenticate,
    },
    {
      id = name .. ".signOut", before = before .. again, luath = signOut, check = isSignedOut,
      swift = swift.signOut, objc = objc.signOut,
    },
  }
  if hasMerge then
    all[5] = {
      id = name .. ".merge", before = before .. foreign .. existing, luath = merge, check = merged,
      swift = swift.merge, objc = objc.merge,
    }
  end
  return all
end

local function parameters(name, before, given)
  return {
    id = name .. ".parameters", before = before,
    swift = "provider.customParameters = [\n" .. given.swift .. "\n]",
    objc = "[provider setCustomParameters:@{" .. given.objc .. "}];",
    luath = "provider.customParameters = { " .. given.luath .. " }", check = given.check,
  }
end

local function scopes(name, before, one, other)
  return {
    id = name .. ".scopes", before = before,
    swift = 'provider.scopes = ["' .. one .. '", "' .. other .. '"]',
    objc = '[provider setScopes:@[@"' .. one .. '", @"' .. other .. '"]];',
    luath = 'provider.scopes = { "' .. one .. '", "' .. other .. '" }',
    check = "assert(auth:signIn(provider).credential.accessToken)",
  }
end

local microsoftSteps = common("microsoft", hinted, true)
local yahooSteps = common("yahoo", yahoo, true)
local oidcSteps = common("oidc", oidc)

local microsoftNames = {
  "microsoft.provider", "microsoft.parameters", "microsoft.tenant", "microsoft.scopes",
  "microsoft.signIn", "microsoft.link", "microsoft.reauthenticate", "microsoft.merge",
  "microsoft.signOut",
}
local oidcNames = {
  "oidc.provider", "oidc.parameters", "oidc.scopes", "oidc.signIn", "oidc.link",
  "oidc.reauthenticate", "oidc.manual", "oidc.signOut",
}

return {
  guides = {
    { page = "Microsoft, in Russian", snippets = microsoftNames },
    { page = "Microsoft, in Japanese", snippets = microsoftNames },
    { page = "OpenID Connect, in Vietnamese", snippets = oidcNames },
    { page = "OpenID Connect, in French", snippets = oidcNames },
    {
      page = "Yahoo, in Italian",
      snippets = {
        "yahoo.provider", "yahoo.parameters", "yahoo.scopes", "yahoo.signIn", "yahoo.link",
        "yahoo.reauthenticate", "yahoo.merge", "yahoo.signOut",
      },
    },
  },
  snippets = {
    ofProvider("microsoft.com", auth, "microsoft"),
    parameters("microsoft", microsoft, {
      swift = '  "prompt": "consent",\n  "login_hint": "user@firstadd.onmicrosoft.com"',
      objc = '@"prompt": @"consent", @"login_hint": @"user@firstadd.onmicrosoft.com"',
      luath = 'prompt = "consent", login_hint = "user@firstadd.onmicrosoft.com"',
      check = 'assert(auth:signIn(provider).user.email == "user@firstadd.onmicrosoft.com")',
    }),
    {
      id = "microsoft.tenant", before = microsoft,
      swift = 'provider.customParameters = [\n  "tenant": "TENANT_ID"\n]',
      objc = 'provider.customParameters = @{@"tenant": @"TENANT_ID"};',
      luath = [[
for _, tenant in ipairs {
  "8eaef023-2b34-4da1-9baa-8bc8c9d6a490", "contoso.onmicrosoft.com", "common",
} do
  provider.customParameters = { tenant = tenant }
  auth:signIn(provider)
end
]],
      check = [[
provider.customParameters = { tenant = "TENANT_ID" }
local ok, err = pcall(auth.signIn, auth, provider)
assert(not ok and err.hint:find("tenant = \"contoso.onmicrosoft.com\"", 1, true), err)
]],
    },
    scopes("microsoft", hinted, "mail.read", "calendars.read"),
    microsoftSteps[1], microsoftSteps[2], microsoftSteps[3], microsoftSteps[4], microsoftSteps[5],
    ofProvider("oidc.example-provider", auth, "oidc"),
    parameters("oidc", oidc, {
      swift = '  "login_hint": "user@example.com"', objc = '@"login_hint": @"user@example.com"',
      luath = 'login_hint = "user@example.com"',
      check = 'assert(auth:signIn(provider).user.email == "user@example.com")',
    }),
    scopes("oidc", oidc, "mail.read", "calendars.read"),
    oidcSteps[1], oidcSteps[2], oidcSteps[3], oidcSteps[4],
    {
      id = "oidc.manual", before = auth .. [[
local client = require("luath.oidc").client {
  issuer = "https://auth.example.com", clientID = "luath-client-oidc.example-provider",
  clientSecret = "luath-secret-oidc.example-provider", redirectURI = "http://127.0.0.1:8910/",
}
local idToken = client:signIn(nil, { nonce = false }).idToken
]],
      swift = [[
let credential = OAuthProvider.credential(
    withProviderID: "oidc.example-provider",
    idToken: idToken,
    rawNonce: nil
)]],
      objc = [=[FIROAuthCredential *credential =
    [FIROAuthProvider credentialWithProviderID:@"oidc.example-provider"
                                       IDToken:idToken
                                      rawNonce:nil];]=],
      luath = [[
local credential = Auth.OAuthProvider.credential {
  withProviderID = "oidc.example-provider", idToken = idToken, rawNonce = nil,
}
local authResult = auth:signIn{ with = credential }
]],
      check = "assert(authResult.additionalUserInfo.profile and auth.currentUser)",
    },
    ofProvider("yahoo.com", auth, "yahoo"),
    parameters("yahoo", yahoo, {
      swift = '  "prompt": "login",\n  "language": "fr"',
      objc = '@"prompt": @"login", @"language": @"fr"',
      luath = 'prompt = "login", language = "fr"',
      check = "assert(auth:signIn(provider).user)",
    }),
    scopes("yahoo", yahoo, "mail-r", "sdct-w"),
    yahooSteps[1], yahooSteps[2], yahooSteps[3], yahooSteps[4], yahooSteps[5],
  },
}
