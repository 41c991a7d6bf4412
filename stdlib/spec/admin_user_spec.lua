local flows = require "support.flows"
local Admin = require "luath.admin"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local task = require "luath.task"

local admin, auth = Admin.admin(), Auth.auth()
local equal, mistake, refused = flows.equal, flows.mistake, flows.refused
local provider, ways = flows.provider, flows.ways

describe("an administrator's accounts", function()
  it("an account is made with every field, and its password signs in", function()
    local made = admin:createUser {
      uid = "ada", email = "Ada@example.com", emailVerified = true, password = "correct horse",
      displayName = "Ada", photoURL = "https://example.com/a.png", phoneNumber = "+15555550100",
      multiFactor = { enrolledFactors = { { phoneNumber = "+15555550101", displayName = "my phone" } } },
    }
    equal(made.uid, "ada")
    equal(made.email, "ada@example.com")
    equal(made.emailVerified, true)
    equal(made.phoneNumber, "+15555550100")
    equal(made.multiFactor.enrolledFactors[1].phoneNumber, "+15555550101")
    equal(made.multiFactor.enrolledFactors[1].displayName, "my phone")
    equal(made.multiFactor.enrolledFactors[1].factorID, "phone")
    refused("secondFactorRequired", auth.signInWithEmail, auth, "ada@example.com", "correct horse")
    made = admin:updateUser("ada", { multiFactor = false })
    equal(#made.multiFactor.enrolledFactors, 0)
    equal(auth:signInWithEmail("ada@example.com", "correct horse").user.uid, "ada")
    assert(#admin:createUser().uid > 0)
    assert(admin:createUser { disabled = true }.disabled)
  end)

  it("every field can be changed, and false clears it", function()
    admin:createUser { uid = "ada", email = "ada@example.com", password = "correct horse" }
    local user = admin:updateUser("ada", {
      email = "ada@new.example", emailVerified = true, phoneNumber = "+15555550100",
      displayName = "Ada", photoURL = "https://example.com/a.png", password = "battery staple",
      customClaims = { role = "editor", teams = { 1, 2 } },
      multiFactor = { enrolledFactors = { { phoneNumber = "+15555550101" } } },
      providerToLink = { providerID = "google.com", uid = "42", email = "ada@gmail.example" },
    })
    equal(user.email, "ada@new.example")
    equal(user.emailVerified, true)
    equal(user.displayName, "Ada")
    equal(user.customClaims.teams[2], 2)
    equal(#user.multiFactor.enrolledFactors, 1)
    equal(ways(user), "google.com password phone")
    equal(admin:getUserByProviderUID("google.com", "42").uid, "ada")
    user = admin:updateUser("ada", {
      displayName = false, photoURL = false, phoneNumber = false, customClaims = false,
      multiFactor = { enrolledFactors = {} }, providersToUnlink = { "google.com" },
    })
    equal(user.displayName, nil)
    equal(user.photoURL, nil)
    equal(user.phoneNumber, nil)
    equal(next(user.customClaims or {}), nil)
    equal(#user.multiFactor.enrolledFactors, 0)
    equal(ways(user), "password")
    equal(auth:signInWithEmail("ada@new.example", "battery staple").user.uid, "ada")
    admin:updateUser("ada", { disabled = true })
    refused("userDisabled", auth.signInWithEmail, auth, "ada@new.example", "battery staple")
    user = admin:updateUser("ada", {
      disabled = false, providerToLink = { providerID = "phone", uid = "+15555550102" },
    })
    equal(user.phoneNumber, "+15555550102")
    equal(user.disabled, false)
  end)

  it("claims are in the next token, and must be few and not the token's own", function()
    local user = auth:createUser("ada@example.com", "correct horse").user
    admin:setCustomUserClaims(user.uid, { admin = true })
    equal(user:getIDTokenResult(true).claims.admin, true)
    admin:setCustomUserClaims(user.uid, false)
    equal(user:getIDTokenResult(true).claims.admin, nil)
    local err = refused("invalidClaims", admin.setCustomUserClaims, admin, user.uid, { sub = "x" })
    assert(err.message:find("sub", 1, true), err.message)
    -- {"a":""} are eight bytes.
    admin:setCustomUserClaims(user.uid, { a = ("x"):rep(992) })
    refused("invalidClaims", admin.setCustomUserClaims, admin, user.uid, { a = ("x"):rep(993) })
    refused("invalidClaims", admin.setCustomUserClaims, admin, user.uid, { "x" })
    refused("invalidClaims", admin.updateUser, admin, user.uid, { customClaims = { iss = 1 } })
    refused("userNotFound", admin.setCustomUserClaims, admin, "nobody", {})
  end)

  it("what is taken is refused with its own code, and nothing is left behind", function()
    for _, find in ipairs { admin.getUserByEmail, admin.getUserByPhoneNumber } do
      assert(#refused("userNotFound", find, admin, ("x"):rep(100000)).message < 400)
    end
    admin:createUser { uid = "ada", email = "ada@example.com", phoneNumber = "+15555550100" }
    local function refuse(code, properties) return refused(code, admin.createUser, admin, properties) end
    equal(refuse("uidAlreadyExists", { uid = "ada" }).webCode, "auth/uid-already-exists")
    refuse("emailAlreadyInUse", { uid = "x", email = "ADA@example.com" })
    refuse("phoneNumberAlreadyExists", { uid = "x", phoneNumber = "+15555550100" })
    refuse("invalidEmail", { uid = "x", email = "no address" })
    refuse("invalidPhoneNumber", { uid = "x", phoneNumber = "12" })
    refuse("weakPassword", { uid = "x", email = "x@example.com", password = "12345" })
    refused("userNotFound", admin.getUser, admin, "x")
    refused("userNotFound", admin.updateUser, admin, "nobody", { displayName = "x" })
    local link = { providerToLink = { providerID = "google.com", uid = "42" } }
    admin:updateUser("ada", link)
    admin:createUser { uid = "bob" }
    local err = refused("credentialAlreadyInUse", admin.updateUser, admin, "bob", link)
    assert(err.hint:find("getUserByProviderUID", 1, true))
  end)

  it("a table that cannot be right is refused before anything is sent", function()
    local sent = flows.requests("*", function()
      local function refuse(words, changes)
        local err = refused("invalidArgument", admin.updateUser, admin, "ada", changes)
        assert(err.message:find(words, 1, true), err.message)
      end
      refuse("nothing to change", {})
      refuse("displayName is empty: pass false", { displayName = "" })
      refuse("displayName must be a string, or false", { displayName = true })
      refuse("cannot be password", { providerToLink = { providerID = "password", uid = "a" } })
      refuse("providerToLink.uid is missing", { providerToLink = { providerID = "google.com" } })
      refuse("did you mean 'uid'", { providerToLink = { providerID = "google.com", uit = "1" } })
      refuse("there is a new phoneNumber", { phoneNumber = "+15555550100", providersToUnlink = { "phone" } })
      for _, change in ipairs { { email = "a@b.example" }, { email = false } } do
        change.providerToLink = { providerID = "email", uid = "c@d.example" }
        refuse("means email, which is given", change)
      end
      for _, change in ipairs { { phoneNumber = false }, { providersToUnlink = { "phone" } } } do
        change.providerToLink = { providerID = "phone", uid = "+15555550102" }
        refuse("means phoneNumber, which is given", change)
      end
      local factor = { uid = "f", phoneNumber = "+15555550101" }
      refuse("two factors with the same uid", { multiFactor = { enrolledFactors = { factor, factor } } })
      mistake("has a hole", admin.deleteUsers, admin, { "ada", nil, "bob" })
      mistake("list of tables of options expected", admin.getUsers, admin, { "ada" })
      refuse("enrolledFactors[2].phoneNumber is missing",
        { multiFactor = { enrolledFactors = { { phoneNumber = "+15555550101" }, {} } } })
      refuse("factorID must be", { multiFactor = { enrolledFactors = { { factorID = "fax" } } } })
      refuse("authenticator app", { multiFactor = { enrolledFactors = { { factorID = "totp" } } } })
      refuse("not something an authenticator app has",
        { multiFactor = { enrolledFactors = { { factorID = "totp", uid = "f", phoneNumber = "+15555550101" } } } })
      refused("invalidArgument", admin.createUser, admin,
        { multiFactor = { enrolledFactors = { { uid = "f", phoneNumber = "+15555550101" } } } })
      refused("invalidArgument", admin.createUser, admin,
        { multiFactor = { enrolledFactors = { { uid = "f", factorID = "totp" } } } })
      refused("invalidArgument", admin.createUser, admin, { email = "" })
      refused("invalidArgument", admin.updateUser, admin, "", { displayName = "x" })
      mistake("no option 'emai'", admin.createUser, admin, { emai = "a@b.example" })
      mistake("bad argument", admin.createUser, admin, { disabled = "yes" })
    end)
    equal(sent, 0)
  end)

  it("sessions end when they are revoked, and an account is gone when it is deleted", function()
    local user = auth:createUser("ada@example.com", "correct horse").user
    emulator.advance(10)
    admin:revokeRefreshTokens(user.uid)
    assert(admin:getUser(user.uid).tokensValidAfterTime > user.metadata.creationDate)
    refused("userTokenExpired", user.getIDToken, user, true)
    equal(auth.currentUser, nil)
    assert(auth:signInWithEmail("ada@example.com", "correct horse").user:getIDToken(true))
    admin:deleteUser(user.uid)
    refused("userNotFound", admin.getUser, admin, user.uid)
    refused("userNotFound", admin.deleteUser, admin, user.uid)
  end)
end)

describe("an administrator's lookup", function()
  it("an account is found by uid, address, number and provider", function()
    local made = auth:createUser("Ada@example.com", "correct horse").user
    made:updateProfile { displayName = "Ada Lovelace", photoURL = "https://example.com/a.png" }
    local user = admin:getUser(made.uid)
    equal(user.uid, made.uid)
    equal(user.email, "ada@example.com")
    equal(user.emailVerified, false)
    equal(user.displayName, "Ada Lovelace")
    equal(user.photoURL, "https://example.com/a.png")
    equal(user.disabled, false)
    equal(user.metadata.creationTime, made.metadata.creationDate)
    assert(user.metadata.lastSignInTime and user.tokensValidAfterTime % 1000 == 0)
    equal(#user.multiFactor.enrolledFactors, 0)
    equal(user.providerData[1].providerID, "password")
    equal(admin:getUserByEmail("ADA@example.com").uid, made.uid)
    equal(admin:getUserByProviderUID("email", "ada@example.com").uid, made.uid)
    local yuki = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user
    local way = yuki.providerData[1]
    equal(admin:getUserByProviderUid("yahoo.com", way.uid).uid, yuki.uid)
    equal(tostring(admin), "Admin(demo-luath)")
  end)

  it("an account that does not exist is not found, and nothing is asked of the backend for an empty name", function()
    local sent = flows.requests("*", function()
      local err = refused("userNotFound", admin.getUser, admin, "nobody")
      assert(err.message:find("nobody", 1, true), err.message)
      refused("userNotFound", admin.getUserByEmail, admin, "nobody@example.com")
      refused("userNotFound", admin.getUserByPhoneNumber, admin, "+15555550100")
      refused("userNotFound", admin.getUserByProviderUID, admin, "google.com", "42")
      for _, name in ipairs { "getUserByEmail", "getUserByPhoneNumber" } do
        refused("invalidArgument", admin[name], admin, "")
      end
      refused("invalidArgument", admin.getUser, admin, "")
      refused("invalidArgument", admin.getUser, admin, ("u"):rep(129))
      refused("invalidArgument", admin.getUserByProviderUID, admin, "google.com", "")
    end)
    equal(sent, 4)
  end)
end)

describe("an administrator's list", function()
  it("a loop goes through all accounts, fetching pages as it needs them", function()
    local sent = flows.requests("batchGet", function()
      local rows = {}
      for index = 1, 7 do rows[index] = { uid = "u" .. index } end
      equal(admin:importUsers(rows).successCount, 7)
      local seen = {}
      for user in admin:listUsers { pageSize = 3 } do
        -- The loop may wait, also for the administrator.
        task.sleep(0)
        if #seen % 3 == 1 then equal(admin:getUser(user.uid).uid, user.uid) end
        seen[#seen + 1] = user.uid
      end
      equal(table.concat(seen, " "), "u1 u2 u3 u4 u5 u6 u7")
      -- A loop that is left requests no more pages.
      for user in admin:listUsers { pageSize = 2 } do if user.uid == "u2" then break end end
      emulator.clear()
      for _ in admin:listUsers() do error "there are no accounts" end
    end)
    equal(sent, 3 + 1 + 1)
  end)

  it("tasks may share a list, and each account goes to one of them", function()
    local rows = {}
    for index = 1, 20 do rows[index] = { uid = ("u%02d"):format(index) } end
    admin:importUsers(rows)
    local next, list = admin:listUsers { pageSize = 3 }
    local seen, count = {}, 0
    local function work()
      for user in next, list do
        assert(not seen[user.uid])
        seen[user.uid], count = true, count + 1
        task.sleep(0)
      end
    end
    task.all { work, work, work }
    equal(count, 20)
  end)

  it("a page that cannot be had raises in the loop, and asking again repeats it", function()
    admin:importUsers { { uid = "u1" }, { uid = "u2" } }
    emulator.setFaults({ { operation = "batchGet", error = "PERMISSION_DENIED", after = 1, count = 1 } }, 7)
    local next, list = admin:listUsers { pageSize = 1 }
    equal(next(list).uid, "u1")
    refused("insufficientPermission", next, list)
    equal(next(list).uid, "u2")
    equal(next(list), nil)
    equal(next(list), nil)
    refused("invalidArgument", admin.listUsers, admin, { pageSize = 0 })
    refused("invalidArgument", admin.listUsers, admin, { pageSize = 1001 })
    mistake("AdminList", next)
  end)

  it("many accounts are looked up by any mix of identifiers, a hundred a request", function()
    local rows, wanted = {}, {}
    for index = 1, 250 do
      rows[index] = { uid = "u" .. index, email = "u" .. index .. "@example.com" }
      wanted[index] = { uid = "u" .. index }
    end
    rows[1].phoneNumber = "+15555550100"
    rows[2].providerData = { { providerID = "google.com", uid = "42" } }
    -- The import looks its rows up as well, since Google's servers replace the accounts that have the uids.
    equal(flows.requests("lookup", admin.importUsers, admin, rows), 3)
    wanted[251], wanted[252] = { uid = "nobody" }, { email = "U3@example.com" }
    wanted[253], wanted[254] = { phoneNumber = "+15555550100" }, { providerID = "google.com", providerUID = "42" }
    wanted[255] = { providerID = "google.com", providerUID = "43" }
    local found
    equal(flows.requests("lookup", function() found = admin:getUsers(wanted) end), 3)
    equal(#found.users, 250)
    equal(#found.notFound, 2)
    equal(found.notFound[1], wanted[251])
    equal(found.notFound[2], wanted[255])
    equal(#admin:getUsers({}).users, 0)
    refused("invalidArgument", admin.getUsers, admin, { {} })
    refused("invalidArgument", admin.getUsers, admin, { { uid = "a", email = "b@c.example" } })
    refused("invalidArgument", admin.getUsers, admin, { { providerID = "google.com" } })
    mistake("bad argument", admin.getUsers, admin, { { id = "a" } })
  end)
end)
