local flows = require "support.flows"
local Admin = require "luath.admin"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local json = require "luath.json"

local admin, auth = Admin.admin(), Auth.auth()
local equal, mistake, refused = flows.equal, flows.mistake, flows.refused

--- Writes a file that only its owner can read; returns its path.
local function keyFile(text)
  local path = flows.folder() .. "/key.json"
  flows.write(path, text)
  assert(os.execute("chmod 600 " .. path))
  return path
end

describe("an administrator", function()
  it("an administrator of an emulator needs no key, and takes one all the same", function()
    local account = emulator.serviceAccount()
    -- An emulator's administrator has a token that needs no exchange, so nothing listens here.
    account.token_uri = "https://127.0.0.1:1/token"
    for _, key in ipairs { false, emulator.serviceAccount(), account, keyFile(json.encode(account)) } do
      local admin = Admin.admin { serviceAccount = key or nil }
      assert(#admin:createUser().uid > 0)
    end
    equal(Admin.admin { tenantID = "t-1" }.tenantID, "t-1")
    equal(Admin.admin().tenantID, nil)
    equal(tostring(Admin.admin { tenantID = "t-1" }), "Admin(demo-luath, tenant t-1)")
  end)

  it("the key that is given says what is wrong with it", function()
    local function refuse(words, key)
      local err = refused("invalidServiceAccount", Admin.admin, { serviceAccount = key })
      assert(err.message:find(words, 1, true), err.message)
      equal(err.rawValue, 18120)
      equal(err.webCode, "auth/invalid-service-account")
    end
    refuse("No such file", flows.folder() .. "/none.json")
    refuse("key.json is not JSON", keyFile '{"type": "service_account", "private_k')
    refuse("no client_email", {})
    refuse("of the kind authorized_user", { type = "authorized_user", client_id = "x" })
    refuse("no private_key", { client_email = "a@b.example" })
    local account = emulator.serviceAccount()
    account.private_key = account.private_key:sub(1, 200)
    refuse("cannot be used", account)
    account.token_uri = "http://example.com/token"
    refuse("not an https address", account)
    refused("invalidArgument", Admin.admin, { tenantID = "" })
    mistake("no target 'staging'", Admin.admin, { target = "staging" })
    mistake("bad argument", Admin.admin, { serviceAccount = 7 })
    mistake("no option 'tenant'", Admin.admin, { tenant = "t-1" })
  end)

  it("a key file that was replaced is read again", function()
    local account, path = emulator.serviceAccount(), keyFile ""
    -- The head of a token names the key.
    local function headWith(keyID)
      account.private_key_id = keyID
      flows.write(path, json.encode(account))
      return Admin.admin { serviceAccount = path }:createCustomToken("ada"):match "^[^.]+"
    end
    local first = headWith "first"
    equal(headWith "first", first)
    assert(headWith "second" ~= first)
    flows.write(path, "{")
    refused("invalidServiceAccount", Admin.admin, { serviceAccount = path })
  end)
end)

describe("an administrator's links", function()
  it("each kind of link is made, is not sent, and works", function()
    admin:createUser { uid = "ada", email = "ada@example.com", password = "correct horse" }
    local settings = { url = "http://localhost/after", handleCodeInApp = true }
    local function code(link) return (assert(link:match "oobCode=([^&]+)", link)) end
    local reset = admin:generatePasswordResetLink("ada@example.com", settings)
    assert(reset:find("continueUrl=http%3A%2F%2Flocalhost%2Fafter", 1, true), reset)
    auth:confirmPasswordReset(code(reset), "battery staple")
    equal(auth:signInWithEmail("ada@example.com", "battery staple").user.uid, "ada")
    auth:applyActionCode(code(admin:generateEmailVerificationLink("ada@example.com")))
    equal(admin:getUser("ada").emailVerified, true)
    auth:applyActionCode(code(admin:generateVerifyAndChangeEmailLink("ada@example.com", "ada@new.example")))
    equal(admin:getUser("ada").email, "ada@new.example")
    local link = admin:generateSignInWithEmailLink("ada@new.example", settings)
    equal(auth:signInWithEmailLink("ada@new.example", link).user.uid, "ada")
    local sent = 0
    for _, letter in ipairs(emulator.oobCodes()) do
      if letter.requestType ~= "RECOVER_EMAIL" then sent = sent + 1 end
    end
    equal(sent, 0)
  end)

  it("links for nobody, to nowhere or without settings are refused", function()
    admin:createUser { email = "ada@example.com" }
    emulator.configure { enumerationProtection = false }
    refused("userNotFound", admin.generatePasswordResetLink, admin, "nobody@example.com")
    emulator.configure { enumerationProtection = true }
    refused("userNotFound", admin.generatePasswordResetLink, admin, "nobody@example.com")
    refused("userNotFound", admin.generateEmailVerificationLink, admin, "nobody@example.com")
    local reset = admin.generatePasswordResetLink
    refused("unauthorizedDomain", reset, admin, "ada@example.com", { url = "https://evil.example/" })
    refused("invalidContinueURI", reset, admin, "ada@example.com", { url = "nowhere" })
    -- Google's servers ignore what is said of an Android app without its name.
    local plain = admin:generatePasswordResetLink("ada@example.com",
      { url = "http://localhost/", android = { installApp = true, minimumVersion = "12" } })
    equal(Auth.ActionCodeURL(plain).continueURL, "http://localhost/")
    local signIn = admin.generateSignInWithEmailLink
    refused("invalidArgument", signIn, admin, "ada@example.com")
    refused("invalidArgument", signIn, admin, "ada@example.com", { url = "http://localhost/" })
    refused("invalidArgument", signIn, admin, "ada@example.com", { handleCodeInApp = true })
    refused("invalidArgument", reset, admin, "")
    refused("invalidArgument", admin.generateVerifyAndChangeEmailLink, admin, "ada@example.com", "")
    local err = refused("invalidArgument", reset, admin, "ada@example.com", { iOS = { bundle = "x" } })
    assert(err.message:find("settings.iOS.bundle", 1, true), err.message)
  end)
end)

describe("an administrator of a tenant", function()
  it("a tenant's accounts are its own", function()
    flows.configure("multiTenant", { multiTenant = { allowTenants = true } })
    local id = flows.asAdmin("POST", "v2/projects/PROJECT/tenants",
      { displayName = "tenant", allowPasswordSignup = true }).name:match "[^/]+$"
    local ours, theirs = admin, Admin.admin { tenantID = id }
    local user = theirs:createUser { uid = "ada", email = "ada@example.com", password = "correct horse" }
    equal(user.tenantID, id)
    refused("userNotFound", ours.getUser, ours, "ada")
    equal(theirs:importUsers({ { uid = "bob" }, { uid = "eve", tenantID = "other" } }).failureCount, 1)
    ours:createUser { uid = "ada", email = "ada@example.com" }
    local function uids(admin)
      local list = {}
      for user in admin:listUsers() do list[#list + 1] = user.uid end
      return table.concat(list, " ")
    end
    equal(uids(ours), "ada")
    equal(uids(theirs), "ada bob")
    auth.tenantID = id
    equal(auth:signInWithEmail("ada@example.com", "correct horse").user.tenantID, id)
    equal(theirs:deleteUsers({ "ada", "bob" }).successCount, 2)
    equal(uids(ours), "ada")
    local nowhere = Admin.admin { tenantID = "nowhere" }
    local err = refused("invalidTenantID", nowhere.getUser, nowhere, "ada")
    assert(err.hint:find("tenantID of this Admin", 1, true))
  end)
end)
