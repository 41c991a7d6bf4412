local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local merge = require "luath.merge"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, way, ways = flows.provider, flows.way, flows.ways


describe("what is easy to get wrong", function()
  it("no. 1 a conflict is raised by signIn and never by getCredential", function()
    auth:createUser("ada@contoso.example", "correct horse")
    local credential = provider("microsoft.com", "ada@contoso.example"):getCredential()
    local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
    equal(err.email, "ada@contoso.example")
  end)

  it("no. 9 after a conflict the updated credential is the one to use", function()
    auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
    local yuki = auth.currentUser.uid
    local user = auth:signInAnonymously().user
    local original = provider("yahoo.com", "yuki@yahoo.example"):getCredential()
    local err = refused("credentialAlreadyInUse", user.link, user, original)
    refused("invalidCredential", auth.signIn, auth, original)
    equal(auth:signIn(err.pendingCredential).user.uid, yuki)
    -- The updated one is not used up.
    equal(auth:signIn(err.pendingCredential).user.uid, yuki)
    emulator.advance(3601)
    refused("invalidCredential", auth.signIn, auth, err.pendingCredential)
  end)

  it("no. 10 a link refused for its address or identity carries both", function()
    auth:createUser("ada@contoso.example", "correct horse")
    auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
    auth:signOut()
    local user = auth:signInAnonymously().user
    local taken = refused("emailAlreadyInUse", user.link, user, provider("microsoft.com", "ada@contoso.example"))
    equal(taken.serverName, "EMAIL_EXISTS")
    equal(taken.email, "ada@contoso.example")
    equal(taken.pendingCredential.providerID, "microsoft.com")
    local linked = refused("credentialAlreadyInUse", user.link, user, provider("yahoo.com", "yuki@yahoo.example"))
    equal(linked.serverName, "FEDERATED_USER_ID_ALREADY_LINKED")
    equal(linked.email, "yuki@yahoo.example")
    equal(linked.pendingCredential.providerID, "yahoo.com")
  end)

  it("no. 12 a reauthentication as somebody else fails, changes nothing, makes nobody", function()
    auth:signIn(provider("google.com", "grace@fabrikam.example"))
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    local token, refreshToken = user:getIDToken(), user.refreshToken
    refused("userMismatch", user.reauthenticate, user, provider("google.com", "grace@fabrikam.example"))
    refused("userMismatch", user.reauthenticate, user, provider("yahoo.com", "yuki@yahoo.example"))
    equal(user:getIDToken(), token)
    equal(user.refreshToken, refreshToken)
    equal(auth.currentUser, user)
    equal(auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).additionalUserInfo.isNewUser, true)
  end)

  it("no. 13 what is linked already is judged by the backend's list", function()
    local here, there = auth:session(), auth:session()
    local one = here:signIn(provider("microsoft.com", "ada@contoso.example")).user
    local other = there:signIn(provider("microsoft.com", "ada@contoso.example")).user
    one:link(provider("google.com", "ada@contoso.example"))
    equal(ways(other), "microsoft.com")
    refused("providerAlreadyLinked", other.link, other, provider("google.com", "ada@contoso.example"))
    one:unlink "google.com"
    other:link(provider("google.com", "ada@contoso.example"))
  end)

  it("no. 15 under enumeration protection no ways are told, and no error either", function()
    auth:createUser("ada@contoso.example", "correct horse")
    equal(#auth:fetchProviders "ada@contoso.example", 0)
    equal(#auth:fetchProviders "nobody@contoso.example", 0)
    for _, email in ipairs { "ada@contoso.example", "nobody@contoso.example" } do
      local err = refused("invalidCredential", auth.signInWithEmail, auth, email, "battery staple")
      equal(err.rawValue, 17004)
      equal(err.serverName, "INVALID_LOGIN_CREDENTIALS")
    end
  end)

  it("no. 16 providers say password where methods say e-mail link", function()
    emulator.configure { enumerationProtection = false }
    auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    auth:signInWithEmailLink("ada@contoso.example", emulator.oobCodes()[1].oobLink)
    equal(table.concat(auth:fetchProviders "ada@contoso.example", " "), "password")
    equal(table.concat(auth:fetchSignInMethods "ada@contoso.example", " "), "emailLink")
  end)

  it("no. 17 the old spellings work", function()
    equal(Auth(), Auth.auth())
    local credential = provider("yahoo.com", "yuki@yahoo.example"):getCredentialWith(nil)
    local user = Auth():signInAndRetrieveData(credential).user
    user:linkAndRetrieveData(provider("google.com", "ada@contoso.example"):getCredential())
    user:reauthenticateAndRetrieveData(provider("google.com", "ada@contoso.example"):getCredential())
    equal(ways(user), "google.com yahoo.com")
  end)

  it("no. 21 which parameters are reserved depends on the provider", function()
    local function set(id, name)
      Auth.OAuthProvider(id).customParameters = { [name] = "x" }
    end
    for _, id in ipairs { "microsoft.com", "yahoo.com", "oidc.corp", "twitter.com" } do
      for _, name in ipairs { "client_id", "response_type", "redirect_uri", "state", "scope" } do
        refused("invalidCustomParameter", set, id, name)
      end
    end
    refused("invalidCustomParameter", set, "microsoft.com", "response_mode")
    set("yahoo.com", "response_mode")
    for _, name in ipairs {
      "consumer_key", "nonce", "signature", "signature_method", "timestamp", "token", "version",
    } do
      refused("invalidCustomParameter", set, "twitter.com", "oauth_" .. name)
      set("google.com", "oauth_" .. name)
    end
  end)

  it("no. 22 Yahoo's scopes match those of the application or the flow fails", function()
    local yahoo = provider("yahoo.com", "yuki@yahoo.example")
    yahoo.scopes = { "mail-r", "sdct-w" }
    auth:signIn(yahoo)
    yahoo.scopes = { "mail-r", "sdct-w", "sdct-r" }
    local err = refused("webSignInUserInteractionFailure", yahoo.getCredential, yahoo)
    assert(err.message:find("invalid_scope", 1, true) or err.serverName == "invalid_scope", tostring(err))
  end)

  it("no. 23 raw tokens of Microsoft and Yahoo are refused", function()
    for _, id in ipairs { "microsoft.com", "yahoo.com" } do
      for _, credential in ipairs {
        Auth.OAuthProvider.credential(id, "an-id-token"),
        Auth.OAuthProvider.credential { providerID = id, accessToken = "an-access-token" },
      } do
        local err = refused("invalidCredential", auth.signIn, auth, credential)
        assert(err.hint:find("custom token", 1, true), err.hint)
      end
    end
  end)

  it("no. 24 Azure's oid is the uid, padded for personal accounts, and sub is not", function()
    local function signIn(email, tenant)
      local result = auth:signIn(provider("microsoft.com", email, { tenant = tenant }))
      return crypto.claims(result.credential.idToken), way(result.user, "microsoft.com").uid
    end
    local claims, uid = signIn("ada@contoso.example", "contoso.example")
    equal(claims.oid, uid)
    assert(claims.sub ~= uid)
    local claims, uid = signIn("alan@outlook.example", "consumers")
    equal(#uid, 16)
    equal(claims.oid, ("00000000-0000-0000-%s-%s"):format(uid:sub(1, 4), uid:sub(5)))
    assert(claims.sub ~= uid)
  end)

  it("no. 28 a reset ends the sessions", function()
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    auth:sendPasswordReset "ada@contoso.example"
    emulator.advance(1)
    auth:session():confirmPasswordReset(emulator.oobCodes()[1].oobCode, "battery staple")
    refused("userTokenExpired", user.getIDToken, user, true)
    equal(auth.currentUser, nil)
  end)

  it("no. 29 a trusted provider takes unverified ways away, and a merge tells", function()
    emulator.configure { enumerationProtection = false }
    local uid = auth:createUser("barbara@corp.example", "not barbara's").user.uid
    auth:signOut()
    local google = provider("google.com", "barbara@corp.example")
    local result = merge.signIn(auth, google, { email = "barbara@corp.example" })
    equal(result.user.uid, uid)
    equal(ways(result.user), "google.com")
    equal(table.concat(result.lost, " "), "password")
  end)

  it("no. 30 a token is renewed five minutes early, and only a proof renews the sign-in", function()
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    local first = user:getIDTokenResult()
    emulator.advance(3600 - 310)
    equal(user:getIDToken(), first.token)
    emulator.advance(20)
    local renewed = user:getIDTokenResult()
    assert(renewed.token ~= first.token)
    equal(renewed.authDate, first.authDate)
    user:reauthenticate(google)
    assert(user:getIDTokenResult().authDate > first.authDate)
  end)

  it("no. 32 whoever is anonymous stays so, loses the uid by a sign-in, keeps it by a link", function()
    local uid = auth:signInAnonymously().user.uid
    equal(auth:signInAnonymously().user.uid, uid)
    assert(auth:signIn(provider("google.com", "ada@contoso.example")).user.uid ~= uid)
    auth:signOut()
    local uid = auth:signInAnonymously().user.uid
    equal(auth.currentUser:link(provider("google.com", "grace@fabrikam.example")).user.uid, uid)
    equal(auth.currentUser.isAnonymous, false)
  end)

  it("no. 33 a page comes back only to an authorized domain", function()
    auth.customAuthDomain = "elsewhere.example"
    local google = provider("google.com", "ada@contoso.example")
    refused("unauthorizedDomain", google.getCredential, google)
  end)

  it("no. 38 nothing is linked before the address was compared", function()
    auth:createUser("ada@contoso.example", "correct horse")
    auth:createUser("mallory@contoso.example", "correct horse")
    auth:signOut()
    local count = flows.requests("signInWithIdp", function()
      refused("userMismatch", merge.signIn, auth, provider("microsoft.com", "ada@contoso.example"), {
        prove = function() return { email = "mallory@contoso.example", password = "correct horse" } end,
      })
    end)
    equal(auth.currentUser, nil)
    equal(count, 1, "the number of sign-ins and links")
  end)

  it("no. 39 linking with an ID token that has ended renews it first", function()
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    emulator.advance(4000)
    local count = flows.requests("token", user.link, user, provider("yahoo.com", "yuki@yahoo.example"))
    equal(count, 1, "the number of renewals")
    equal(ways(user), "google.com yahoo.com")
  end)
end)
