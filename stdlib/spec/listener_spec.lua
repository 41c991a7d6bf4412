local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local task = require "luath.task"

local equal, refused, mistake = flows.equal, flows.refused, flows.mistake


describe("listeners", function()
  -- What the listeners of a test were called with.
  local auth, heard

  before_each(function()
    auth, heard = Auth.auth(), {}
  end)

  local function note(name)
    return function(user)
      heard[#heard + 1] = name .. ":" .. (user and user.email or "nobody")
    end
  end

  local function settle()
    for _ = 1, 5 do
      task.sleep(0)
    end
  end

  local function expect(words)
    settle()
    equal(table.concat(heard, " "), words)
    heard = {}
  end

  local function sign(name)
    return auth:createUser(name .. "@x.example", "correct horse").user
  end

  it("a listener hears of the user soon and at each change of uid", function()
    auth:onAuthStateChanged(note "one")
    equal(#heard, 0, "calls within the registration")
    expect "one:nobody"
    local ada = sign "ada"
    expect "one:ada@x.example"
    auth:onAuthStateChanged(note "two")
    expect "two:ada@x.example"
    emulator.advance(1)
    auth.currentUser:getIDToken(true)
    auth:signIn { email = "ada@x.example", password = "correct horse" }
    expect ""
    sign "bob"
    expect "one:bob@x.example two:bob@x.example"
    auth:updateCurrentUser(ada)
    expect "one:ada@x.example two:ada@x.example"
    auth:signOut()
    equal(#heard, 0, "calls within signOut")
    expect "one:nobody two:nobody"
    auth:signOut()
    expect ""
    sign "carl"
    expect "one:carl@x.example two:carl@x.example"
    auth.currentUser:delete()
    expect "one:nobody two:nobody"
  end)

  it("a listener to tokens hears of each new one", function()
    auth:onIDTokenChanged(note "t")
    auth:onAuthStateChanged(note "u")
    local user = auth:signInAnonymously().user
    expect "t:nobody u:nobody t:nobody u:nobody"
    user:getIDToken()
    user:reload()
    expect ""
    emulator.advance(1)
    user:getIDToken(true)
    expect "t:nobody"
    emulator.advance(3600)
    user:reload()
    expect "t:nobody"
    emulator.advance(1)
    user:link(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
    expect "t:ada@x.example"
    emulator.advance(1)
    user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
    expect "t:ada@x.example"
    emulator.advance(1)
    user:updatePassword("battery staple")
    expect "t:ada@x.example"
    -- Signing in again as the same person is a new user object with a token of its own.
    emulator.advance(1)
    auth:signIn { email = "ada@x.example", password = "battery staple" }
    expect "t:ada@x.example"
    -- The former object is nobody's current user.
    emulator.advance(1)
    user:getIDToken(true)
    expect ""
    auth:signOut()
    expect "t:nobody u:nobody"
  end)

  it("a forced sign-out is told, and only of the Auth it happened in", function()
    local other = Auth.session()
    local uid = sign("ada").uid
    other:signIn { email = "ada@x.example", password = "correct horse" }
    auth:onAuthStateChanged(note "one")
    other:onAuthStateChanged(note "two")
    expect "one:ada@x.example two:ada@x.example"
    flows.change(uid, { disableUser = true })
    refused("userDisabled", auth.currentUser.reload, auth.currentUser)
    expect "one:nobody"
    equal(other.currentUser.uid, uid)
  end)

  it("changes reach a listener that waits one by one and in order", function()
    local inside, most = 0, 0
    auth:onAuthStateChanged(function(user)
      inside = inside + 1
      most = math.max(most, inside)
      -- A listener may call whatever waits, and what it reads is as it was called with.
      if user then equal(user:getIDTokenResult().claims.email, user.email) end
      task.sleep(0.01)
      note "slow" (user)
      inside = inside - 1
    end)
    for _, name in ipairs { "ada", "bob", "carl" } do
      sign(name)
      auth:signOut()
    end
    while #heard < 7 do task.sleep(0.01) end
    equal(most, 1)
    expect("slow:nobody slow:ada@x.example slow:nobody slow:bob@x.example slow:nobody "
      .. "slow:carl@x.example slow:nobody")
  end)

  it("a listener may change who is signed in", function()
    sign "ada"
    auth:onAuthStateChanged(function(user)
      note "u" (user)
      if user and user.email == "ada@x.example" then auth:signOut() end
      if not user then sign "bob" end
    end)
    while #heard < 3 do task.sleep(0.01) end
    expect "u:ada@x.example u:nobody u:bob@x.example"
  end)

  it("a listener that was ended hears nothing more", function()
    local stop = auth:onAuthStateChanged(note "one")
    local stopTokens = auth:onIDTokenChanged(note "two")
    -- Before it was told anything.
    stop()
    expect "two:nobody"
    stopTokens()
    stopTokens()
    sign "ada"
    auth:signOut()
    expect ""
    mistake("no value expected", stop, 1)
    -- One that ends itself.
    local ending
    ending = auth:onAuthStateChanged(function(user) note "once" (user) ending() end)
    expect "once:nobody"
    sign "bob"
    expect ""
  end)

  it("the Apple SDK's names pass the Auth and give a handle", function()
    local function both(name)
      return function(of, user)
        assert(of == auth and select("#", of, user) == 2)
        note(name)(user)
      end
    end
    local state = auth:addStateDidChangeListener(both "s")
    local tokens = auth:addIDTokenDidChangeListener(both "t")
    expect "s:nobody t:nobody"
    auth:removeStateDidChangeListener(state)
    sign "ada"
    expect "t:ada@x.example"
    auth:removeIDTokenDidChangeListener(tokens)
    auth:signOut()
    expect ""
    mistake("AuthListener expected", auth.removeStateDidChangeListener, auth, print)
    local stop = auth:onIdTokenChanged(note "web")
    expect "web:nobody"
    stop()
  end)

  it("an Auth that nobody holds goes, and its listeners with it", function()
    local sessions, values = setmetatable({}, { __mode = "v" }), setmetatable({}, { __mode = "k" })
    for index = 1, 20 do
      local session, value = Auth.session(), {}
      sessions[index], values[value] = session, true
      -- Functions that hold what they are stored with.
      session:onAuthStateChanged(function(user) return session, value, user end)
      session:addIDTokenDidChangeListener(function() return session, value end)
      if index % 2 == 0 then session:signInAnonymously() end
    end
    for _ = 1, 5 do task.sleep(0) end
    collectgarbage()
    collectgarbage()
    equal(next(sessions), nil)
    equal(next(values), nil)
    -- The default one stays, though the script does not hold it.
    auth = nil
    local heard = 0
    Auth.auth():onAuthStateChanged(function() heard = heard + 1 end)
    task.sleep(0)
    collectgarbage()
    collectgarbage()
    Auth.auth():signInAnonymously()
    for _ = 1, 5 do task.sleep(0) end
    equal(heard, 2)
    assert(rawequal(Auth.auth(), Auth()))
  end)

  it("a listener that was ended lets go of its function", function()
    local kept = setmetatable({}, { __mode = "k" })
    local stops = {}
    for index = 1, 20 do
      local value = {}
      kept[value] = true
      stops[index] = auth:onIDTokenChanged(function() return value end)
    end
    for _ = 1, 5 do task.sleep(0) end
    for _, stop in ipairs(stops) do stop() end
    collectgarbage()
    collectgarbage()
    equal(next(kept), nil)
  end)
end)
