local flows = require "support.flows"
local Auth = require "luath.auth"
local admin = require "luath.admin"
local emulator = require "luath.emulator"
local task = require "luath.task"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, ways = flows.provider, flows.ways

describe("sessions", function()
  it("sessions are independent of each other", function()
    local sessions, heard = {}, {}
    for index = 1, 10 do
      sessions[index] = Auth.session()
      heard[index] = 0
      sessions[index]:onAuthStateChanged(function() heard[index] = heard[index] + 1 end)
    end
    local tasks = {}
    for index, session in ipairs(sessions) do
      session.languageCode = "l" .. index
      tasks[index] = function()
        return session:createUser(("p%d@x.example"):format(index), "correct horse").user.uid
      end
    end
    local uids = task.all(tasks)
    task.sleep(0)
    sessions[4]:signOut()
    sessions[5].currentUser:delete()
    task.sleep(0)
    task.sleep(0)
    for index, session in ipairs(sessions) do
      equal(session.languageCode, "l" .. index)
      equal(heard[index], (index == 4 or index == 5) and 3 or 2, index)
      if index == 4 or index == 5 then
        equal(session.currentUser, nil)
      else
        equal(session.currentUser.uid, uids[index])
        session.currentUser:reload()
      end
    end
    equal(auth.currentUser, nil)
  end)

  it("a former user can be made current again", function()
    local ada = auth:createUser("ada@x.example", "correct horse").user
    local bob = auth:createUser("bob@x.example", "correct horse").user
    auth:updateCurrentUser(ada)
    equal(auth.currentUser, ada)
    auth:signOut()
    auth:updateCurrentUser(bob)
    equal(auth.currentUser, bob)
    bob:updateProfile { displayName = "Bob" }
    equal(refused("nullUser", auth.updateCurrentUser, auth).rawValue, 17067)
    equal(auth.currentUser, bob)
    mistake("User expected", auth.updateCurrentUser, auth, {})
  end)

  it("a user of another tenant cannot become current", function()
    local tenant = flows.tenant()
    local team = Auth.session { tenantID = tenant }
    local member = team:createUser("ada@x.example", "correct horse").user
    local outsider = auth:createUser("ada@x.example", "correct horse").user
    assert(member.uid ~= outsider.uid)
    equal(member.tenantID, tenant)
    for _, row in ipairs { { auth, member }, { team, outsider } } do
      local err = refused("tenantIDMismatch", row[1].updateCurrentUser, row[1], row[2])
      equal(err.rawValue, 17072)
      assert(err.message:find(tenant, 1, true), err.message)
    end
    equal(auth.currentUser, outsider)
    equal(team.currentUser, member)
    auth.tenantID = tenant
    auth:updateCurrentUser(member)
    equal(auth.currentUser.uid, member.uid)
    auth.currentUser:getIDToken(true)
  end)

  it("a tenant has accounts of its own", function()
    local tenant = flows.tenant()
    -- A tenant inherits no provider of the project.
    flows.register("yahoo.com", tenant)
    auth.tenantID = tenant
    local user = auth:createUser("ada@x.example", "correct horse").user
    equal(user.tenantID, tenant)
    equal(user:getIDTokenResult().claims.firebase.tenant, tenant)
    emulator.advance(3600)
    user:reload()
    user:updateProfile { displayName = "Ada" }
    user:link(provider("yahoo.com", "yuki@yahoo.example"))
    equal(ways(user), "password yahoo.com")
    user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
    user:unlink("yahoo.com")
    equal(auth:signInAnonymously().user.tenantID, tenant)
    local anonymous = auth.currentUser.uid
    auth:signIn { email = "ada@x.example", password = "correct horse" }
    equal(auth.currentUser.uid, user.uid)
    -- Outside the tenant nobody knows her.
    auth.tenantID = nil
    equal(auth.currentUser.tenantID, tenant, "a user stays where they signed in")
    refused("invalidCredential", auth.signIn, auth, { email = "ada@x.example", password = "correct horse" })
    assert(auth:signInAnonymously().user.uid ~= anonymous)
    equal(auth.currentUser.tenantID, nil)
    user:delete()
  end)

  it("what belongs to another tenant is refused with its code", function()
    local tenant, other = flows.tenant(), flows.tenant()
    local key = emulator.serviceAccount()
    local project = admin.admin { serviceAccount = key }
    -- At a custom token that names no tenant Google's servers fail.
    auth.tenantID = tenant
    local err = refused("internalError", auth.signInWithCustomToken, auth, admin.customToken(key, "u-1"))
    assert(err.message:find("Internal error encountered.", 1, true), err.message)
    auth:signInWithCustomToken(project:authForTenant(tenant):createCustomToken "u-1")
    equal(auth.currentUser.tenantID, tenant)
    auth:signOut()
    -- One of a tenant is good for no other, and not for the project.
    local token = project:authForTenant(tenant):createCustomToken "u-1"
    auth.tenantID = nil
    refused("tenantIDMismatch", auth.signInWithCustomToken, auth, token)
    auth.tenantID = other
    err = refused("tenantIDMismatch", auth.signInWithCustomToken, auth, token)
    equal(err.rawValue, 17072)
    equal(err.serverName, "TENANT_ID_MISMATCH")
    equal(err.webCode, "auth/tenant-id-mismatch")
    err = refused("unsupportedTenantOperation", auth.signInWithPhoneNumber, auth, "+15555550100",
      function() return "123456" end)
    equal(err.rawValue, 17073)
    equal(err.serverName, "UNSUPPORTED_TENANT_OPERATION")
    auth.tenantID = "no-such-tenant"
    refused("invalidTenantID", auth.signInAnonymously, auth)
    equal(auth.currentUser, nil)
  end)

  -- S24
  it("sessions have different users", function()
    local one, two = Auth.session(), Auth.session()
    one:signIn { email = one:createUser("a@b.example", "correct horse").user.email, password = "correct horse" }
    two:signIn(provider("microsoft.com", "ada@contoso.example"))
    assert(one.currentUser.uid ~= two.currentUser.uid)
    equal(auth.currentUser, nil)
    one:signOut()
    assert(two.currentUser)
  end)

  it("the target and the tenant of a session can be chosen", function()
    local session = Auth.session { tenantID = "team-1" }
    equal(session.tenantID, "team-1")
    equal(Auth.session().tenantID, nil)
    assert(Auth.session {} ~= Auth.session {})
    mistake("no target 'staging'", Auth.session, { target = "staging" })
  end)

  it("a user of another session becomes one of both, without a request", function()
    local other = Auth.session()
    local ada = other:createUser("ada@x.example", "correct horse").user
    ada:updateProfile { displayName = "Ada" }
    equal(flows.requests("*", auth.updateCurrentUser, auth, ada), 0)
    local copy = auth.currentUser
    assert(copy ~= ada)
    equal(copy.uid, ada.uid)
    equal(copy.displayName, "Ada")
    equal(#copy.providerData, 1)
    -- Each renews its own tokens, and ends by itself.
    emulator.advance(1)
    local before = ada:getIDToken()
    assert(copy:getIDToken(true) ~= before)
    equal(ada:getIDToken(), before)
    auth:signOut()
    equal(other.currentUser, ada)
  end)
end)
