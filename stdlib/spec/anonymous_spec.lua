local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local task = require "luath.task"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, ways = flows.provider, flows.ways


describe("anonymous users", function()
  it("9.32 whoever is anonymous stays who they are, without a request", function()
    local user, again = auth:signInAnonymously().user, nil
    local count = flows.requests("*", function()
      again = auth:signInAnonymously()
    end)
    equal(count, 0)
    equal(again.user, user)
    equal(again.additionalUserInfo, nil)
    equal(#flows.owned("v1/projects/PROJECT/accounts:query", {}).userInfo, 1)
  end)

  it("9.32 signing in another way abandons the anonymous account", function()
    local anonymous = auth:signInAnonymously().user
    local ada = auth:createUser("ada@x.example", "correct horse").user
    assert(ada.uid ~= anonymous.uid)
    equal(auth.currentUser, ada)
    equal(#flows.owned("v1/projects/PROJECT/accounts:query", {}).userInfo, 2)
    -- The object still is the abandoned account, which only it can reach now.
    anonymous:delete()
    equal(auth.currentUser, ada)
    equal(#flows.owned("v1/projects/PROJECT/accounts:query", {}).userInfo, 1)
  end)

  it("9.32 a link keeps the uid and ends being anonymous", function()
    local rows = {
      { "password", Auth.EmailAuthProvider.credential("ada@x.example", "correct horse") },
      { "yahoo.com", provider("yahoo.com", "yuki@yahoo.example") },
    }
    for _, row in ipairs(rows) do
      local user = auth:signInAnonymously().user
      local uid, states, tokens = user.uid, 0, 0
      auth:onAuthStateChanged(function() states = states + 1 end)
      auth:onIDTokenChanged(function(u)
        tokens = tokens + 1
        if tokens == 2 then
          equal(u.isAnonymous, false)
          equal(ways(u), row[1])
        end
      end)
      task.sleep(0)
      emulator.advance(1)
      local linked = user:link(row[2])
      equal(linked.user, user)
      equal(auth.currentUser, user)
      equal(user.uid, uid)
      equal(user.isAnonymous, false)
      task.sleep(0)
      equal(states, 1, "the uid did not change")
      equal(tokens, 2)
      equal(user:getIDTokenResult().claims.provider_id, nil)
      -- Now signing in anonymously is a new account.
      assert(auth:signInAnonymously().user.uid ~= uid)
      auth:signOut()
    end
  end)

  it("an upgrade to a taken identity goes on with the pending credential", function()
    local owner = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user.uid
    local anonymous = auth:signInAnonymously().user
    local err = refused("credentialAlreadyInUse", anonymous.link, anonymous,
      provider("yahoo.com", "yuki@yahoo.example"))
    equal(err.rawValue, 17025)
    equal(auth.currentUser, anonymous)
    equal(anonymous.isAnonymous, true)
    local result = auth:signIn(err.pendingCredential)
    equal(result.user.uid, owner)
    equal(result.additionalUserInfo.isNewUser, false)
    anonymous:delete()
    equal(auth.currentUser.uid, owner)
    refused("userNotFound", anonymous.reload, anonymous)
    equal(auth.currentUser.uid, owner)
  end)

  it("an upgrade to a taken address goes on with its owner", function()
    local owner = auth:createUser("ada@x.example", "correct horse").user.uid
    local anonymous = auth:signInAnonymously().user
    local credential = Auth.EmailAuthProvider.credential("ada@x.example", "correct horse")
    local err = refused("emailAlreadyInUse", anonymous.link, anonymous, credential)
    equal(err.rawValue, 17007)
    equal(err.email, "ada@x.example")
    equal(anonymous.isAnonymous, true)
    equal(auth.currentUser, anonymous)
    equal(auth:signIn(credential).user.uid, owner)
    anonymous:delete()
  end)
end)
