local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local task = require "luath.task"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider = flows.provider

describe("reauthentication", function()
  -- S14
  it("a fresh credential renews the sign-in and a refresh does not", function()
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    local user = auth:signIn(microsoft).user
    local before = user:getIDTokenResult()
    emulator.advance(600)
    local refreshed = user:getIDTokenResult(true)
    assert(refreshed.token ~= before.token)
    equal(refreshed.authDate, before.authDate)
    assert(refreshed.issuedAtDate >= before.issuedAtDate + 600)
    equal(refreshed.expirationDate - refreshed.issuedAtDate, 3600)
    local refreshToken = user.refreshToken
    local result = user:reauthenticate(microsoft:getCredential())
    equal(result.user.uid, user.uid)
    equal(result.additionalUserInfo.isNewUser, false)
    assert(result.credential.accessToken)
    local after = user:getIDTokenResult()
    assert(after.authDate >= before.authDate + 600)
    assert(user.refreshToken ~= refreshToken)
    equal(auth.currentUser.uid, user.uid)
  end)

  -- S14
  it("deletion, address and password need a recent sign-in", function()
    emulator.configure { enumerationProtection = false }
    local email, password = "ada@contoso.example", crypto.random()
    local user = auth:createUser(email, password).user
    local function proof() return Auth.EmailAuthProvider.credential(email, password) end
    local changes = {
      function() password = crypto.random() user:updatePassword(password) end,
      function() user:updateEmail("ada2@contoso.example") email = "ada2@contoso.example" end,
      function() user:delete() end,
    }
    for _, change in ipairs(changes) do
      -- After a new password the session begins in the second after those that it ended.
      emulator.advance(302)
      local old = password
      local err = refused("requiresRecentLogin", change)
      password = old
      equal(err.rawValue, 17014)
      equal(err.serverName, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
      equal(auth.currentUser.uid, user.uid, "nobody is signed out for it")
      user:reauthenticate(proof())
      change()
    end
    equal(auth.currentUser, nil)
    refused("userNotFound", auth.signIn, auth, proof())
  end)

  -- S14
  it("profile, link and tokens need no recent sign-in", function()
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    emulator.advance(3000)
    user:updateProfile { displayName = "Countess" }
    user:link(provider("yahoo.com", "yuki@yahoo.example"))
    user:unlink("yahoo.com")
    user:getIDToken(true)
    equal(user.displayName, "Countess")
  end)

  -- S14 S26
  it("the credential of another user is a mismatch and changes nothing", function()
    auth:signIn(provider("google.com", "grace@fabrikam.example"))
    local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    local token, refreshToken = user:getIDToken(), user.refreshToken
    -- Grace has an account, Yuki none, and nobody gets one by this.
    for id, email in pairs { ["google.com"] = "grace@fabrikam.example", ["yahoo.com"] = "yuki@yahoo.example" } do
      local err = refused("userMismatch", user.reauthenticate, user, provider(id, email))
      equal(err.rawValue, 17024)
    end
    equal(user:getIDToken(), token)
    equal(user.refreshToken, refreshToken)
    equal(auth.currentUser.uid, user.uid)
    local yuki = Auth.session():signIn(provider("yahoo.com", "yuki@yahoo.example"))
    equal(yuki.additionalUserInfo.isNewUser, true, "a stray account")
  end)

  -- S14 S26
  it("a wrong password is refused", function()
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    local wrong = Auth.EmailAuthProvider.credential("ada@contoso.example", "battery staple")
    refused("invalidCredential", user.reauthenticate, user, wrong)
    emulator.configure { enumerationProtection = false }
    refused("wrongPassword", user.reauthenticate, user, wrong)
    refused("wrongPassword", user.reauthenticate, user, Auth.EmailAuthProvider.credential("ada@contoso.example", ""))
    refused("userMismatch", user.reauthenticate, user,
      Auth.EmailAuthProvider.credential("nobody@contoso.example", "battery staple"))
    local result = user:reauthenticate(Auth.EmailAuthProvider.credential("ada@contoso.example", "correct horse"))
    equal(result.additionalUserInfo.providerID, "password")
    equal(result.additionalUserInfo.isNewUser, false)
  end)

  -- S14 S17
  it("a credential works once", function()
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    local credential = microsoft:getCredential()
    local user = auth:signIn(credential).user
    for _, use in ipairs { user.reauthenticate, user.link } do
      local ok, err = pcall(use, user, credential)
      assert(not ok and (err.code == "invalidCredential" or err.code == "providerAlreadyLinked"), tostring(err))
    end
    local err = refused("invalidCredential", auth.signIn, auth, credential)
    assert(err.message:find("used before", 1, true), err.message)
    user:reauthenticate(microsoft)
  end)

  -- S14 S26
  it("a changed password ends the other sessions", function()
    local here, there = Auth.session(), Auth.session()
    local user = here:createUser("ada@contoso.example", "correct horse").user
    local other = there:signIn({ email = "ada@contoso.example", password = "correct horse" }).user
    emulator.advance(2)
    user:updatePassword("battery staple")
    user:reload()
    local err = refused("userTokenExpired", other.reload, other)
    equal(err.rawValue, 17021)
    equal(there.currentUser, nil)
    equal(here.currentUser.uid, user.uid)
    refused("invalidCredential", there.signIn, there, { email = "ada@contoso.example", password = "correct horse" })
    there:signIn { email = "ada@contoso.example", password = "battery staple" }
  end)

  -- S14 S26
  it("a deleted account signs out its other sessions", function()
    local here, there = Auth.session(), Auth.session()
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    local user, other = here:signIn(microsoft).user, there:signIn(microsoft).user
    user:delete()
    equal(here.currentUser, nil)
    local ok, err = pcall(other.reload, other)
    assert(not ok and (err.code == "userNotFound" or err.code == "userTokenExpired"), tostring(err))
    equal(there.currentUser, nil)
    -- The identity is free again.
    local again = auth:signIn(microsoft)
    equal(again.additionalUserInfo.isNewUser, true)
    assert(again.user.uid ~= user.uid)
  end)

  -- S14
  it("the ID token is refreshed five minutes before it ends", function()
    local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    local token = user:getIDToken()
    emulator.advance(3200)
    equal(user:getIDToken(), token)
    emulator.advance(110)
    -- Many at once share one refresh.
    local tokens = task.all { function() return user:getIDToken() end, function() return user:getIDToken() end }
    assert(tokens[1] ~= token)
    equal(tokens[1], tokens[2])
  end)

  it("a user mismatch raises, where the async reauthenticate of the SDK succeeds", function()
    auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
    local ada = auth:signIn(provider("google.com", "ada@contoso.example")).user
    local before = ada.refreshToken
    local ok, err = pcall(ada.reauthenticate, ada, provider("yahoo.com", "yuki@yahoo.example"))
    equal(ok, false)
    equal(err.code, "userMismatch")
    equal(ada.refreshToken, before)
    equal(auth.currentUser.uid, ada.uid)
  end)

  it("a refused reauthentication creates no account, and names none", function()
    local ada = auth:signIn(provider("google.com", "ada@contoso.example")).user
    local err = refused("userMismatch", ada.reauthenticate, ada, provider("yahoo.com", "yuki@yahoo.example"))
    equal((err.details or {}).strayAccount, nil)
    equal(#flows.owned("v1/projects/PROJECT/accounts:query", { returnUserInfo = true }).userInfo, 1)
  end)
end)
