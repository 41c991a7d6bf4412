-- What holds under both sets of rules.
local flows = require "support.flows"
local Admin = require "luath.admin"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local host = require "luath.host"
local http = require "luath.http"
local task = require "luath.task"

local admin, auth = Admin.admin(), Auth.auth()
local equal, mistake, refused = flows.equal, flows.mistake, flows.refused

describe("an administrator's settings", function()
  it("a tenant is made, read, changed and deleted", function()
    local made = admin:createTenant {
      displayName = "Crimson", emailSignInConfig = { enabled = true, passwordRequired = false },
      multiFactorConfig = { state = "ENABLED", factorIDs = { "phone" } },
    }
    equal(made.displayName, "Crimson")
    equal(made.emailSignInConfig.enabled, true)
    equal(made.emailSignInConfig.passwordRequired, false)
    equal(made.anonymousSignInEnabled, false)
    equal(made.multiFactorConfig.state, "ENABLED")
    equal(made.multiFactorConfig.factorIDs[1], "phone")
    local id = made.tenantID
    equal(admin:getTenant(id).displayName, "Crimson")
    local changed = admin:updateTenant(id, {
      anonymousSignInEnabled = true, emailSignInConfig = { passwordRequired = true },
    })
    equal(changed.displayName, "Crimson")
    equal(changed.anonymousSignInEnabled, true)
    equal(changed.emailSignInConfig.enabled, true)
    equal(changed.emailSignInConfig.passwordRequired, true)
    equal(changed.multiFactorConfig.state, "ENABLED")
    equal(admin:updateTenant(id, {}).displayName, "Crimson")
    changed = admin:updateTenant(id, { multiFactorConfig = { factorIDs = false } })
    equal(#(changed.multiFactorConfig.factorIDs or {}), 0)
    equal(changed.multiFactorConfig.state, "ENABLED")
    -- It is in force.
    auth.tenantID = id
    equal(auth:signInAnonymously().user.tenantID, id)
    admin:deleteTenant(id)
    for tenant in admin:listTenants() do assert(tenant.tenantID ~= id) end
  end)

  it("tenants are listed page by page", function()
    local made = {}
    for number = 1, 5 do made[admin:createTenant { displayName = "Tenant-" .. number }.tenantID] = true end
    for _, size in ipairs { 1, 2, 5, 1000 } do
      local count = 0
      for tenant in admin:listTenants { pageSize = size } do
        assert(made[tenant.tenantID], tenant.tenantID)
        count = count + 1
      end
      equal(count, 5)
    end
    local next, list = admin:listTenants { pageSize = 2 }
    equal(tostring(next):match "^function", "function")
    assert(list:next().tenantID ~= list:next().tenantID)
    refused("invalidArgument", admin.listTenants, admin, { pageSize = 0 })
    refused("invalidArgument", admin.listTenants, admin, { pageSize = 1001 })
    mistake("no option", admin.listTenants, admin, { maxResults = 5 })
    -- Several tasks take turns.
    local _, shared = admin:listTenants { pageSize = 2 }
    local seen = {}
    local function walk() for tenant in shared.next, shared do seen[#seen + 1] = tenant.tenantID end end
    task.all { walk, walk, walk }
    table.sort(seen)
    equal(#seen, 5)
    for index = 2, 5 do assert(seen[index - 1] ~= seen[index]) end
  end)

  it("the project's settings change one by one", function()
    local before = admin:getProjectConfig()
    equal(before.signIn.allowDuplicateEmails, false)
    local after = admin:updateProjectConfig { signIn = { allowDuplicateEmails = true } }
    equal(after.signIn.allowDuplicateEmails, true)
    equal(after.emailPrivacyConfig.enableImprovedEmailPrivacy, before.emailPrivacyConfig.enableImprovedEmailPrivacy)
    after = admin:updateProjectConfig { emailPrivacyConfig = { enableImprovedEmailPrivacy = false } }
    equal(after.signIn.allowDuplicateEmails, true)
    equal(after.emailPrivacyConfig.enableImprovedEmailPrivacy, false)
    equal(admin:updateProjectConfig({}).signIn.allowDuplicateEmails, true)
    equal(admin:getProjectConfig().signIn.allowDuplicateEmails, true)
    mistake("no option", admin.updateProjectConfig, admin, { signin = {} })
  end)
end)

describe("an administrator's tokens", function()
  it("a custom token signs in whom the administrator says", function()
    local uid = "yahoo:Ü-1"
    local result = auth:signInWithCustomToken(admin:createCustomToken(uid, { plan = "gold", seats = 3 }))
    equal(result.user.uid, uid)
    local token = result.user:getIDTokenResult()
    equal(token.claims.plan, "gold")
    equal(token.claims.seats, 3)
    equal(token.signInProvider, "custom")
    equal(admin:verifyIDToken(token.token, true).plan, "gold")
    assert(admin:createCustomToken(uid, {}))
    for _, name in ipairs { "sub", "aud", "firebase", "exp", "c_hash" } do
      local err = refused("invalidClaims", admin.createCustomToken, admin, uid, { [name] = "x" })
      assert(err.message:find(name, 1, true), err.message)
    end
    refused("invalidArgument", admin.createCustomToken, admin, "")
    refused("invalidArgument", admin.createCustomToken, admin, ("u"):rep(129))
    mistake("names expected", admin.createCustomToken, admin, uid, { "gold" })
    mistake("as JSON", admin.createCustomToken, admin, uid, { f = print })
    -- The clock of an emulator that others use may have been moved.
    local path = "/emulator/v1/clock"
    assert(http.patch(emulator.origin .. path, { bearer = "owner", json = { advanceSeconds = 86400 } }).ok)
    assert(auth:signInWithCustomToken(admin:createCustomToken("u2")).user.uid == "u2")
  end)

  it("an ID token is verified, and its end is noticed", function()
    local user = auth:createUser("ada@example.com", "correct horse").user
    local token = user:getIDToken()
    local claims = admin:verifyIDToken(token, true)
    equal(claims.uid, user.uid)
    equal(claims.sub, user.uid)
    equal(claims.email, "ada@example.com")
    equal(claims.firebase.sign_in_provider, "password")
    equal(admin:verifyIdToken(token).uid, user.uid)
    flows.change(user.uid, { disableUser = true })
    equal(admin:verifyIDToken(token).uid, user.uid)
    refused("userDisabled", admin.verifyIDToken, admin, token, true)
    flows.change(user.uid, { disableUser = false, validSince = tostring(claims.auth_time + 1) })
    equal(refused("idTokenRevoked", admin.verifyIDToken, admin, token, true).webCode, "auth/id-token-revoked")
    equal(admin:verifyIDToken(token).uid, user.uid)
    emulator.advance(3600)
    local err = refused("idTokenExpired", admin.verifyIDToken, admin, token)
    equal(err.webCode, "auth/id-token-expired")
    equal(err.rawValue, 18130)
    emulator.clear()
    auth:signOut()
    local other = auth:signInAnonymously().user
    local gone = other:getIDToken()
    other:delete()
    refused("userNotFound", admin.verifyIDToken, admin, gone, true)
    equal(admin:verifyIDToken(gone).provider_id, "anonymous")
  end)

  it("a session cookie is made of an ID token and verified", function()
    local user = auth:createUser("ada@example.com", "correct horse").user
    local token = user:getIDToken()
    local cookie = admin:createSessionCookie(token, { expiresIn = 7200 })
    local claims = admin:verifySessionCookie(cookie, true)
    equal(claims.uid, user.uid)
    equal(claims.exp - claims.iat, 7200)
    equal(claims.iss, "https://session.firebase.google.com/" .. host.projectID)
    assert(refused("invalidSessionCookie", admin.verifySessionCookie, admin, token).hint:find "verifyIDToken")
    refused("invalidSessionCookie", admin.verifySessionCookie, admin, "nonsense")
    emulator.advance(3601)
    equal(admin:verifySessionCookie(cookie, true).uid, user.uid)
    flows.change(user.uid, { validSince = tostring(claims.auth_time + 1) })
    refused("sessionCookieRevoked", admin.verifySessionCookie, admin, cookie, true)
    emulator.advance(3600)
    refused("sessionCookieExpired", admin.verifySessionCookie, admin, cookie)
    for _, seconds in ipairs { 299, 1209601, 0, -300, 7200 * 1000 } do
      local create, options = admin.createSessionCookie, { expiresIn = seconds }
      local err = refused("invalidSessionCookieDuration", create, admin, token, options)
      equal(err.webCode, "auth/invalid-session-cookie-duration")
    end
    refused("invalidIDToken", admin.createSessionCookie, admin, "nonsense", { expiresIn = 300 })
    mistake("expiresIn is missing", admin.createSessionCookie, admin, token, {})
    mistake("bad argument", admin.createSessionCookie, admin, token)
    mistake("bad argument", admin.createSessionCookie, admin, token, { expiresIn = 300.5 })
  end)
end)
