local files = require "support.files"
local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local json = require "luath.json"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake

local read, write, list, shell = files.read, files.write, files.list, files.shell

local function ada() return auth:createUser("ada@x.example", "correct horse").user end

describe("files of sessions that are refused", function()
  before_each(files.make)
  after_each(files.remove)

  it("a damaged file is refused with its reason", function()
    ada()
    auth:save(files.file)
    local good = read()
    local function bad(words, f)
      local err = refused("keychainError", f or Auth.load, files.file)
      equal(err.rawValue, 17995)
      assert(err.message:find(files.file, 1, true), err.message)
      assert(err.message:find(words, 1, true), err.message)
      for _, token in pairs(json.decode(good).tokens) do
        assert(not tostring(err):find(token, 1, true), "a token is shown")
      end
      return err
    end
    for length = 0, #good - 2, 97 do
      write(good:sub(1, length))
      bad "or it is incomplete"
    end
    local function with(change)
      local saved = json.decode(good)
      change(saved)
      write(json.encode(saved))
    end
    write "[1, 2]"
    bad "not a session"
    with(function(s) s.version = 2 end)
    bad "version"
    with(function(s) s.tokens.refreshToken = nil end)
    bad "tokens.refreshToken"
    for _, time in ipairs { "soon", math.mininteger, math.maxinteger } do
      with(function(s) s.tokens.expiresAt = time end)
      bad "tokens.expiresAt"
    end
    with(function(s) s.user.uid = 7 end)
    bad "user.uid"
    with(function(s) s.user.isAnonymous = nil end)
    bad "user.isAnonymous"
    with(function(s) s.projectID = "other" end)
    local err = bad "the emulated project other, and not to the emulated project"
    assert(err.hint:find "target", err.hint)
    with(function(s) s.isEmulated = false end)
    bad "the project "
    write(("x"):rep(1100000))
    bad "too large"
    write(good)
    equal(Auth.load(files.file).currentUser.uid, auth.currentUser.uid)
    equal(list(), "session.json\n")
  end)

  it("a file that others can read, or that is no plain file, is refused", function()
    ada()
    auth:save(files.file)
    for _, mode in ipairs { "640", "604", "660", "666", "620" } do
      shell("chmod " .. mode .. " FILE")
      local err = refused("keychainError", Auth.load, files.file)
      assert(err.message:find(mode, 1, true), err.message)
      assert(err.hint:find "chmod 600", err.hint)
    end
    shell "chmod 600 FILE"
    shell "mv FILE FILE.real && ln -s FILE.real FILE"
    for _, f in ipairs { Auth.load, function(path) auth:save(path) end } do
      assert(refused("keychainError", f, files.file).message:find "symbolic link")
    end
    shell "rm FILE && mkfifo -m 600 FILE"
    for _, f in ipairs { Auth.load, function(path) auth:save(path) end } do
      assert(refused("keychainError", f, files.file).message:find "plain file")
      assert(refused("keychainError", f, files.folder).message:find "plain file")
    end
    shell "rm FILE"
    assert(refused("keychainError", Auth.load, files.file).message:find "does not exist")
    refused("keychainError", Auth.load, files.folder .. "/none/at/all")
    mistake("zero byte", Auth.load, files.file .. "\0.json")
    mistake("not empty", Auth.load, "")
    mistake("zero byte", auth.save, auth, files.file .. "\0.json")
  end)

  local isRoot = os.execute "test $(id -u) = 0"
  local declare = isRoot and it or pending
  declare("a session file of another user is refused", function()
    ada()
    auth:save(files.file)
    shell "chown 65534 FILE"
    assert(refused("keychainError", Auth.load, files.file).message:find "another user")
  end)

  it("what cannot be saved is refused and leaves nothing behind", function()
    equal(refused("nullUser", auth.save, auth, files.file).rawValue, 17067)
    ada()
    refused("keychainError", auth.save, auth, files.folder .. "/none/session.json")
    refused("keychainError", auth.save, auth, files.folder .. "/new/")
    write "a letter to somebody"
    local err = refused("keychainError", auth.save, auth, files.file)
    assert(err.message:find "something else", err.message)
    equal(read(), "a letter to somebody")
    equal(list(), "session.json\n")
    refused("keychainError", auth.save, auth, "/proc/session.json")
  end)

  it("a change that cannot be written to the file is an error", function()
    local user = ada()
    auth:save(files.file)
    -- Others can read the file now, so it is left alone.
    shell "chmod 644 FILE"
    emulator.advance(1)
    local before = user:getIDToken()
    refused("keychainError", user.getIDToken, user, true)
    equal(auth.currentUser, user)
    shell "chmod 600 FILE"
    assert(user:getIDToken(true) ~= before)
    equal(json.decode(read()).tokens.idToken, user:getIDToken())
  end)

  it("the error of a session that is over names the file", function()
    local function over(code, change)
      auth:signInWithEmail("ada@x.example", "correct horse")
      auth:save(files.file)
      local uid = auth.currentUser.uid
      emulator.advance(2)
      change(uid)
      local err = refused(code, Auth.load, files.file)
      assert(err.message:find("ada@x.example in " .. files.file, 1, true), err.message)
      equal(err.email, "ada@x.example")
      return err
    end
    ada()
    local err = over("userDisabled", function(uid) flows.change(uid, { disableUser = true }) end)
    flows.change(auth.currentUser.uid, { disableUser = false })
    err = over("userTokenExpired", function(uid)
      local later = auth.currentUser:getIDTokenResult().issuedAtDate + 1
      flows.change(uid, { validSince = tostring(later) })
    end)
    assert(err.hint:find "sign in again", err.hint)
    over("userNotFound", function(uid)
      flows.owned("v1/projects/PROJECT/accounts:delete", { localId = uid })
    end)
  end)

  it("an error of the backend does not end a session", function()
    ada()
    auth:save(files.file)
    local before = read()
    emulator.setFaults { { operation = "lookup", error = "OPERATION_NOT_ALLOWED" } }
    refused("operationNotAllowed", Auth.load, files.file)
    emulator.setFaults {}
    equal(read(), before)
    equal(Auth.load(files.file).currentUser.email, "ada@x.example")
  end)
end)
