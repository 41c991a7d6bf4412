local files = require "support.files"
local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local host = require "luath.host"
local json = require "luath.json"
local task = require "luath.task"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider = flows.provider

local read, write, list, shell = files.read, files.write, files.list, files.shell

local function ada() return auth:createUser("ada@x.example", "correct horse").user end

describe("saved sessions", function()
  before_each(files.make)
  after_each(files.remove)

  it("a saved session is signed in where it is loaded", function()
    local user = ada()
    user:updateProfile { displayName = "Ada" }
    auth:save(files.file)
    local other = Auth.load(files.file)
    assert(other ~= auth and other.currentUser ~= user)
    equal(other.currentUser.uid, user.uid)
    equal(other.currentUser.displayName, "Ada")
    equal(other.currentUser.isAnonymous, false)
    equal(#other.currentUser.providerData, 1)
    -- From here on they have nothing to do with each other.
    auth:signOut()
    emulator.advance(1)
    other.currentUser:updatePassword("battery staple")
    other:signOut()
    equal(Auth.load(files.file).currentUser.uid, user.uid, "after signing out")
  end)

  it("only its owner can read the file, and it has no key", function()
    ada()
    auth:save(files.file)
    shell "test $(stat -c %a FILE) = 600"
    equal(list(), "session.json\n")
    local saved = json.decode(read())
    equal(saved.format, "luath session")
    equal(saved.version, 1)
    equal(saved.projectID, host.projectID)
    equal(saved.user.uid, auth.currentUser.uid)
    equal(saved.user.email, "ada@x.example")
    equal(saved.tokens.refreshToken, auth.currentUser.refreshToken)
    equal(#saved.apiKeyFingerprint, 16)
    -- In place of a file that others could read, and of another session.
    shell "chmod 644 FILE"
    auth:createUser("bob@x.example", "correct horse")
    auth:save(files.file)
    shell "test $(stat -c %a FILE) = 600"
    equal(Auth.load(files.file).currentUser.email, "bob@x.example")
    equal(list(), "session.json\n")
  end)

  it("an anonymous session stays anonymous until it is linked", function()
    local uid = auth:signInAnonymously().user.uid
    auth:save(files.file)
    local other = Auth.load(files.file)
    equal(other.currentUser.isAnonymous, true)
    equal(other:signInAnonymously().user.uid, uid)
    emulator.advance(1)
    other.currentUser:link(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
    equal(json.decode(read()).user.isAnonymous, false)
    equal(json.decode(read()).user.email, nil, "written before the account was read again")
    equal(Auth.load(files.file).currentUser.isAnonymous, false)
  end)

  it("a session of a tenant brings its tenant along", function()
    local tenant = flows.tenant()
    local session = Auth.session { tenantID = tenant }
    local uid = session:createUser("ada@x.example", "correct horse").user.uid
    session:save(files.file)
    local other = Auth.load(files.file)
    equal(other.tenantID, tenant)
    equal(other.currentUser.tenantID, tenant)
    equal(other.currentUser.uid, uid)
    other.currentUser:getIDToken(true)
    equal(other.currentUser:getIDTokenResult().claims.firebase.tenant, tenant)
  end)

  it("the file follows the tokens", function()
    local user = ada()
    auth:save(files.file)
    local function isKept()
      local saved = json.decode(read()).tokens
      equal(saved.idToken, user:getIDToken())
      equal(saved.refreshToken, user.refreshToken)
      equal(list(), "session.json\n")
    end
    local before = read()
    user:getIDToken()
    user:reload()
    equal(read(), before)
    emulator.advance(1)
    user:getIDToken(true)
    assert(read() ~= before)
    isKept()
    emulator.advance(3600)
    user:reload()
    isKept()
    user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
    isKept()
    user:updatePassword("battery staple")
    isKept()
    user:link(provider("yahoo.com", "yuki@yahoo.example"))
    isKept()
    user:unlink("yahoo.com")
    isKept()
    equal(Auth.load(files.file).currentUser.uid, user.uid)
    -- A loaded session keeps its file as well.
    local other = Auth.load(files.file)
    emulator.advance(1)
    other.currentUser:updatePassword("correct horse")
    equal(json.decode(read()).tokens.refreshToken, other.currentUser.refreshToken)
    equal(Auth.load(files.file).currentUser.uid, user.uid)
  end)

  it("of several sessions with one file, one renews the tokens", function()
    ada()
    auth:save(files.file)
    local sessions = { auth }
    for index = 2, 8 do sessions[index] = Auth.load(files.file) end
    emulator.setFaults { { operation = "token", latency = 40 } }
    emulator.advance(3400)
    local tasks = {}
    for index, session in ipairs(sessions) do
      tasks[index] = function() return session.currentUser:getIDToken() end
    end
    local tokens = task.all(tasks)
    for _, token in ipairs(tokens) do equal(token, tokens[1]) end
    equal(json.decode(read()).tokens.idToken, tokens[1])
    equal(emulator.listFaults()[1].seen, 1)
    -- A session that asks for a new token gets one.
    emulator.advance(1)
    assert(sessions[3].currentUser:getIDToken(true) ~= tokens[1])
    equal(emulator.listFaults()[1].seen, 2)
  end)

  it("a new password reaches the others over the file", function()
    local user = ada()
    auth:save(files.file)
    local other = Auth.load(files.file)
    emulator.advance(2)
    user:updatePassword("battery staple")
    -- Its own refresh token was revoked by that.
    other.currentUser:getIDToken(true)
    other.currentUser:reload()
    equal(other.currentUser.refreshToken, user.refreshToken)
  end)

  it("a file that was deleted or given to another session is left alone", function()
    local user = ada()
    auth:save(files.file)
    os.remove(files.file)
    emulator.advance(1)
    user:getIDToken(true)
    equal(list(), "")
    auth:save(files.file)
    local second = Auth.session()
    second:createUser("bob@x.example", "correct horse")
    second:save(files.file)
    local before = read()
    emulator.advance(1)
    user:getIDToken(true)
    user:updatePassword("battery staple")
    equal(read(), before)
    equal(Auth.load(files.file).currentUser.email, "bob@x.example")
  end)

  it("a file in use is waited for", function()
    ada()
    auth:save(files.file)
    local holder = io.popen(("flock %s sh -c 'touch %s/held; read line'"):format(files.file, files.folder), "w")
    while not list():find "held" do task.sleep(0) end
    local saving = task.spawn(function() auth:save(files.file) end)
    local renewing = task.spawn(function() return auth.currentUser:getIDToken(true) end)
    refused("timeout", task.timeout, 0.03, auth.save, auth, files.file)
    equal(saving.status, "waiting")
    equal(renewing.status, "waiting")
    -- Reading takes no lock.
    equal(Auth.load(files.file).currentUser.uid, auth.currentUser.uid)
    holder:write "done\n"
    holder:close()
    saving:await()
    local renewed = renewing:await()
    equal(json.decode(read()).tokens.idToken, renewed)
  end)

  it("an ID token that has expired costs a refresh, and so does another key", function()
    local user = ada()
    auth:save(files.file)
    local good = read()
    local function with(change)
      local saved = json.decode(good)
      change(saved)
      write(json.encode(saved))
    end
    local function renewals()
      return flows.requests("token", function() equal(Auth.load(files.file).currentUser.uid, user.uid) end)
    end
    equal(renewals(), 0)
    with(function(s) s.apiKeyFingerprint = "0123456789abcdef" end)
    equal(renewals(), 1, "with another key")
    assert(json.decode(read()).apiKeyFingerprint ~= "0123456789abcdef")
    emulator.advance(4000)
    equal(renewals(), 1, "after an hour")
    equal(renewals(), 0, "with the new token")
    -- Saved by a clock that was wrong, and by one that was wrong the other way.
    with(function(s) s.tokens.expiresAt = s.tokens.expiresAt + 30000000 end)
    equal(renewals(), 1)
    with(function(s) s.tokens.expiresAt = s.tokens.expiresAt + 4000 end)
    equal(renewals(), 1)
  end)

  it("a session is loaded without a password", function()
    ada()
    auth:save(files.file)
    auth:signOut()
    local calls = 0
    local session = Auth.load(files.file)
    session:onAuthStateChanged(function(user) calls = calls + 1 equal(user.email, "ada@x.example") end)
    task.sleep(0)
    task.sleep(0)
    equal(calls, 1)
    equal(auth.currentUser, nil)
  end)
end)
