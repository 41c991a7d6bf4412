local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local task = require "luath.task"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, ways = flows.provider, flows.ways

describe("the refresh of tokens", function()
  -- 9.30
  it("many who wait for a token share one refresh", function()
    local user = auth:createUser("ada@x.example", "correct horse").user
    local before = user:getIDToken()
    emulator.setFaults { { operation = "token", latency = 30 } }
    emulator.advance(3301)
    local tasks = {}
    for index = 1, 40 do
      tasks[index] = function()
        if index % 4 == 0 then user:reload() end
        return user:getIDToken()
      end
    end
    local tokens = task.all(tasks)
    for _, token in ipairs(tokens) do equal(token, tokens[1]) end
    assert(tokens[1] ~= before)
    equal(emulator.listFaults()[1].seen, 1)
  end)

  it("forced refreshes at the same time are one as well", function()
    local user = auth:createUser("ada@x.example", "correct horse").user
    emulator.setFaults { { operation = "token", latency = 30 } }
    local tasks = {}
    for index = 1, 20 do tasks[index] = function() return user:getIDToken(true) end end
    task.all(tasks)
    user:getIDToken(true)
    equal(emulator.listFaults()[1].seen, 2)
  end)

  -- 9.30
  it("a token is renewed five minutes before its end, and auth_time stays", function()
    local user = auth:createUser("ada@x.example", "correct horse").user
    local first = user:getIDTokenResult()
    equal(flows.requests("token", function()
      emulator.advance(3290)
      equal(user:getIDToken(), first.token)
      emulator.advance(20)
      local second = user:getIDTokenResult()
      assert(second.token ~= first.token)
      equal(second.authDate, first.authDate)
      assert(second.issuedAtDate >= first.issuedAtDate + 3290)
      refused("requiresRecentLogin", user.updatePassword, user, "battery staple")
      user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      assert(user:getIDTokenResult().authDate > first.authDate)
      user:updatePassword("battery staple")
    end), 1)
  end)

  -- 9.39
  it("a link refreshes an old token first", function()
    local user = auth:signInAnonymously().user
    equal(flows.requests("token", function()
      emulator.advance(7200)
      user:link(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      equal(user.isAnonymous, false)
      emulator.advance(7200)
      user:link(provider("yahoo.com", "yuki@yahoo.example"))
    end), 2)
    equal(ways(user), "password yahoo.com")
  end)

  it("a caller that gives up waiting does not stop the others", function()
    local user = auth:createUser("ada@x.example", "correct horse").user
    emulator.setFaults { { operation = "token", latency = 50 } }
    emulator.advance(3600)
    local first = task.spawn(function() return user:getIDToken() end)
    task.sleep(0)
    local others = {}
    for index = 1, 3 do others[index] = task.spawn(function() return user:getIDToken() end) end
    task.sleep(0)
    first:cancel()
    for _, other in ipairs(others) do equal(type(other:await()), "string") end
    equal(auth.currentUser, user)
  end)

  it("what an administrator does to an account ends its session", function()
    local other = Auth.session()
    local function sign(session)
      return session:signIn { email = "ada@x.example", password = "correct horse" }.user
    end
    local uid = auth:createUser("ada@x.example", "correct horse").user.uid
    sign(other)
    flows.change(uid, { disableUser = true })
    refused("userDisabled", auth.currentUser.getIDToken, auth.currentUser, true)
    equal(auth.currentUser, nil)
    equal(other.currentUser.uid, uid, "the session of another Auth")
    flows.change(uid, { disableUser = false })
    sign(auth)
    emulator.advance(2)
    flows.change(uid, { validSince = tostring(auth.currentUser:getIDTokenResult().issuedAtDate + 1) })
    refused("userTokenExpired", auth.currentUser.reload, auth.currentUser)
    equal(auth.currentUser, nil)
    sign(auth)
    flows.owned("v1/projects/PROJECT/accounts:delete", { localId = uid })
    refused("userNotFound", auth.currentUser.reload, auth.currentUser)
    equal(auth.currentUser, nil)
  end)

  it("a session that is over does not sign out the next user", function()
    local ada = auth:createUser("ada@x.example", "correct horse").user
    local bob = auth:createUser("bob@x.example", "correct horse").user
    flows.change(ada.uid, { disableUser = true })
    refused("userDisabled", ada.reload, ada)
    equal(auth.currentUser, bob)
  end)
end)

local password = Auth.EmailAuthProvider.credential("ada@x.example", "correct horse")
local yahoo = provider("yahoo.com", "yuki@yahoo.example")
local link = Auth.EmailAuthProvider.credentialWithLink("ada@x.example",
  "https://x.example/?apiKey=k&mode=signIn&oobCode=c")

--- A call, its operation, and whether the user is signed out when the session is over.
local calls <const> = {
  { "getIDToken", "token", true, function(user) user:getIDToken(true) end },
  { "reload", "lookup", true, function(user) user:reload() end },
  { "unlink", "update", true, function(user) user:unlink "yahoo.com" end },
  { "updateProfile", "update", true, function(user) user:updateProfile { displayName = "Ada" } end },
  { "updatePassword", "update", true, function(user) user:updatePassword "battery staple" end },
  { "link with a password", "signUp", true, function(user) user:link(password) end },
  {
    "link with a provider", "signInWithIdp", true,
    function(user) user:link(provider("google.com", "barbara@corp.example")) end,
  },
  { "sendEmailVerification", "sendOobCode", true, function(user) user:sendEmailVerification() end },
  { "updateEmail", "update", true, function(user) user:updateEmail "new@x.example" end },
  { "delete", "delete", false, function(user) user:delete() end },
  {
    "sendEmailVerificationBeforeUpdatingEmail", "sendOobCode", false,
    function(user) user:sendEmailVerificationBeforeUpdatingEmail "new@x.example" end,
  },
  { "link with an e-mail", "signInWithEmailLink", false, function(user) user:link(link) end },
  { "reauthenticate", "signInWithIdp", false, function(user) user:reauthenticate(yahoo) end },
}

describe("a session that is over", function()
  for _, row in ipairs(calls) do
    local name, operation, isOver, call = table.unpack(row)
    it((isOver and "signs the user out at " or "leaves the user signed in at ") .. name, function()
      local errors = {
        TOKEN_EXPIRED = "userTokenExpired", USER_DISABLED = "userDisabled",
        USER_NOT_FOUND = name == "reauthenticate" and "userMismatch" or "userNotFound",
        INVALID_ID_TOKEN = "invalidUserToken",
      }
      for error, code in pairs(errors) do
        local user = auth:signIn(yahoo).user
        emulator.setFaults { { operation = operation, error = error } }
        refused(code, call, user)
        emulator.setFaults {}
        equal(auth.currentUser == nil, isOver, error)
      end
      -- What says nothing about the session leaves the user signed in.
      local user = auth:signIn(yahoo).user
      for _, error in ipairs { "OPERATION_NOT_ALLOWED", "TOO_MANY_ATTEMPTS_TRY_LATER" } do
        emulator.setFaults { { operation = operation, error = error } }
        pcall(call, user)
        equal(auth.currentUser, user, error)
      end
    end)
  end
end)
