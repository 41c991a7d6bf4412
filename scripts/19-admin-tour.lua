--- Lesson 19: the administrator. Moves people in with the passwords they have, changes what they
--- may do, ends their sessions, and takes everybody out again into a file.
---
--- On an emulator an administrator needs nothing. On a real project set
--- GOOGLE_APPLICATION_CREDENTIALS to the path of a service account's JSON key, or pass
--- Admin.admin { serviceAccount = PATH }.
---
--- Usage: luath run scripts/19-admin-tour.lua
---
--- Sample output:
---   imported 2 of 3 people; row 3: uid is missing
---   ada signed in with the password of the old system
---   ada, editor, +15555550100
---   in the token: editor
---   in the cookie: editor
---   grace lives in a tenant of her own
---   a link for a new password, for you to send
---   1201 accounts, in pages of 500
---   ada's session is over, and her cookie with it
---   1201 accounts are in a file only you can read
---   the batch was cut off: 1000 rows done, rows 1001 to 1201 were not
---   nobody is left
local Admin <const> = require "luath.admin"
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"

local admin, auth = Admin.admin(), Auth.auth()

-- People of an old system, with their hashes. Failed imports are reported by row.
local hash = { algorithm = "HMAC_SHA256", key = "c2VjcmV0IG9mIHRoZSBvbGQgc3lzdGVt" }
local result = admin:importUsers({
  {
    uid = "ada",
    email = "ada@example.com",
    displayName = "Ada",
    passwordHash = "d29BEV6kZfm8xJfWo17MLiqDqYsmxcB0Pt05qYPHUxw=",
    passwordSalt = "TmFDbCBhbmQgcGVwcGVy",
    metadata = { creationTime = 1700000000000 },
  },
  { uid = "bob", providerData = { { providerID = "google.com", uid = "42" } } },
  { email = "eve@example.com" },
}, { hash = hash })
local refused = result.errors[1]
print(("imported %d of 3 people; row %d: %s"):format(
  result.successCount, refused.index, refused.message))
assert(result.successCount == 2 and refused.index == 3)

local user = auth:signInWithEmail("ada@example.com", "correct horse").user
print(user.uid .. " signed in with the password of the old system")
assert(user.uid == "ada" and user.metadata.creationDate == 1700000000000)

-- What an account is and may do. false clears a field.
local ada = admin:updateUser("ada", {
  phoneNumber = "+15555550100",
  displayName = false,
  customClaims = { role = "editor" },
  providerToLink = { providerID = "github.com", uid = "43" },
})
print(ada.uid .. ", " .. ada.customClaims.role .. ", " .. ada.phoneNumber)
assert(ada.displayName == nil and #ada.providerData == 3)
assert(admin:getUserByProviderUID("github.com", "43").uid == "ada")

-- Claims are in the tokens that come after them.
local claims = user:getIDTokenResult(true).claims
print("in the token: " .. claims.role)
assert(claims.role == "editor")

-- A server verifies the token that a client sends, and goes on with a cookie.
local token = user:getIDToken()
assert(admin:verifyIDToken(token, true).uid == "ada")
local cookie = admin:createSessionCookie(token, { expiresIn = 3600 })
print("in the cookie: " .. admin:verifySessionCookie(cookie).role)

-- A tenant has accounts, settings and providers apart from the project's.
local tenant = admin:createTenant {
  displayName = "Crimson", emailSignInConfig = { enabled = true },
}
local red = admin:authForTenant(tenant.tenantID)
red:createUser { uid = "grace", displayName = "Grace" }
assert(not pcall(admin.getUser, admin, "grace"))
print(red:getUser("grace").uid .. " lives in a tenant of her own")
admin:deleteTenant(tenant.tenantID)

-- Links are made, not sent.
local link = admin:generatePasswordResetLink("ada@example.com")
print "a link for a new password, for you to send"
auth:confirmPasswordReset(link:match "oobCode=([^&]+)", "battery staple")
user = auth:signInWithEmail("ada@example.com", "battery staple").user
assert(user.uid == "ada")

-- Any number of rows; a request takes a thousand, and the loop fetches pages as it needs them.
local rows = {}
for index = 1, 1199 do rows[index] = { uid = ("u%04d"):format(index) } end
assert(admin:importUsers(rows).successCount == 1199)
local uids = {}
for account in admin:listUsers { pageSize = 500 } do uids[#uids + 1] = account.uid end
print(#uids .. " accounts, in pages of 500")
assert(#uids == 1201)

local found = admin:getUsers { { uid = "bob" }, { email = "nobody@example.com" } }
assert(#found.users == 1 and found.notFound[1].email == "nobody@example.com")

-- A user stays signed in until the session is revoked.
emulator.advance(60)
admin:revokeRefreshTokens "ada"
local nothing, err = luath.try(user.getIDToken, user, true)
assert(nothing == nil and err.code == Auth.ErrorCode.userTokenExpired)
nothing, err = luath.try(admin.verifySessionCookie, admin, cookie, true)
assert(nothing == nil and err.code == Auth.ErrorCode.sessionCookieRevoked)
print "ada's session is over, and her cookie with it"

-- A file in the format of firebase auth:export. The project's own hashes come with it.
local path = os.tmpname()
local written = admin:exportUsers(path)
assert(written.count == 1201 and written.passwordHashCount == 1)
local file = assert(io.open(path))
assert(file:read "l" == '{"users": [')
file:close()
os.remove(path)
print(written.count .. " accounts are in a file only you can read")

-- When a batch is cut off, the error has the result of every row.
emulator.setFaults { { operation = "batchDelete", error = "QUOTA_EXCEEDED", after = 1, count = 1 } }
nothing, err = luath.try(admin.deleteUsers, admin, uids)
assert(nothing == nil and err.code == Auth.ErrorCode.quotaExceeded)
local first, last = table.unpack(err.batch.notDone)
print(("the batch was cut off: %d rows done, rows %d to %d were not"):format(
  err.batch.successCount, first, last))
emulator.setFaults {}
assert(admin:deleteUsers(table.move(uids, first, last, 1, {})).failureCount == 0)
for account in admin:listUsers() do error(account.uid .. " is left") end
print "nobody is left"
