local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, form, ways = flows.provider, flows.form, flows.ways


describe("spellings", function()
  -- S28
  it("the default Auth has several spellings", function()
    for _, other in ipairs { Auth(), Auth.auth(), Auth.auth {} } do
      equal(tostring(other), tostring(auth))
      equal(other == auth, true)
    end
  end)

  -- S28
  describe("a credential is got by every spelling", function()
    for _, spelling in ipairs { "getCredential", "getCredentialWith", "credentialWithUIDelegate", "credential" } do
      it(spelling, function()
        local microsoft = provider("microsoft.com", "ada@contoso.example")
        local credential = microsoft[spelling](microsoft, nil)
        equal(auth:signIn(credential).user.email, "ada@contoso.example")
        credential = microsoft[spelling](microsoft, form "ada@contoso.example")
        equal(auth:signIn(credential).user.email, "ada@contoso.example")
      end)
    end
  end)

  -- S28
  describe("a credential signs in by every spelling", function()
    for _, spelling in ipairs {
      "signIn", "signInWithCredential", "signInAndRetrieveData", "signInAndRetrieveDataWithCredential",
    } do
      it(spelling, function()
        local result = auth[spelling](auth, provider("yahoo.com", "yuki@yahoo.example"):getCredential())
        equal(result.user.email, "yuki@yahoo.example")
        equal(result.additionalUserInfo.isNewUser, true)
        assert(result.credential.accessToken)
      end)
    end
  end)

  -- S28
  describe("a link has many spellings, each with a credential or a page", function()
    for _, spelling in ipairs {
      "link", "linkWithCredential", "linkAndRetrieveData", "linkAndRetrieveDataWithCredential", "linkWithPopup",
      "linkWithRedirect",
    } do
      it(spelling, function()
        local user = auth:signInAnonymously().user
        user[spelling](user, provider("yahoo.com", "yuki@yahoo.example"):getCredential())
        user[spelling](user, provider("google.com", "yuki@yahoo.example"))
        user[spelling](user, provider("microsoft.com", "ada@contoso.example"), form "ada@contoso.example")
        equal(ways(user), "google.com microsoft.com yahoo.com")
      end)
    end
  end)

  -- S28
  describe("so has a reauthentication", function()
    for _, spelling in ipairs {
      "reauthenticate", "reauthenticateWithCredential", "reauthenticateAndRetrieveData",
      "reauthenticateAndRetrieveDataWithCredential", "reauthenticateWithPopup", "reauthenticateWithRedirect",
    } do
      it(spelling, function()
        local yahoo = provider("yahoo.com", "yuki@yahoo.example")
        local user = auth:signIn(yahoo).user
        emulator.advance(400)
        refused("requiresRecentLogin", user.delete, user)
        user[spelling](user, yahoo:getCredential())
        user[spelling](user, yahoo)
        user:delete()
      end)
    end
  end)

  -- S28
  it("the ways of an address and the password have them too", function()
    emulator.configure { enumerationProtection = false }
    local user = auth:createUserWithEmailAndPassword("a@b.example", "correct horse").user
    equal(auth:signInWithEmailAndPassword("a@b.example", "correct horse").user.uid, user.uid)
    for _, name in ipairs {
      "fetchProviders", "fetchProvidersForEmail", "fetchSignInMethods", "fetchSignInMethodsForEmail",
    } do
      local found = auth[name](auth, "a@b.example")
      equal(#found, 1, name)
      assert(found:contains(Auth.EmailAuthProviderID))
    end
    equal(Auth.EmailAuthProviderID, "password")
    equal(user:getIDTokenForcingRefresh(true) ~= nil, true)
    auth.currentUser:link(provider("google.com", "ada@contoso.example"))
    equal(ways(auth.currentUser:unlinkFromProvider "google.com"), "password")
    equal(auth:signInWithPopup(provider("yahoo.com", "yuki@yahoo.example")).user.email, "yuki@yahoo.example")
  end)

  -- S28
  it("a spelling that never was is refused with a guess", function()
    mistake("signIn", function() return auth.signln end)
    mistake("Auth", function() return Auth.OAuthProvidr end)
  end)
end)
