-- An administrator of a project that luath takes for a real one, with a service account's key.
local Admin <const> = require "luath.admin"
local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local luath <const> = require "luath"
local task <const> = require "luath.task"

local admin <const> = Admin.admin()
-- Many who begin at once share one exchange for the access token, whoever named the key again.
local function look()
  local _, err = pcall(admin.getUserByEmail, Admin.admin(), "ada@contoso.example")
  if err.code ~= "userNotFound" then error(err) end
end
task.all { look, look, look, look, look }

local password <const> = luath.secret "ADA_PASSWORD"
local made <const> = admin:createUser { email = "ada@contoso.example", password = password }
admin:setCustomUserClaims(made.uid, { role = "pilot" })
assert(admin:getUserByEmail("ada@contoso.example").uid == made.uid)

-- What the administrator made, a client signs in to.
local user <const> = Auth.auth():signIn({ email = made.email, password = password }).user
assert(user:getIDTokenResult().claims.role == "pilot")

-- A server verifies it with the keys that Google publishes; an unsigned token is nobody's here.
local token <const> = user:getIDToken()
assert(admin:verifyIDToken(token, true).role == "pilot")
local cookie <const> = admin:createSessionCookie(token, { expiresIn = 600 })
assert(admin:verifySessionCookie(cookie, true).uid == made.uid)
local header <const> = crypto.base64url '{"alg":"none","typ":"JWT"}'
local unsigned <const> = header .. token:match "(%.[^.]+%.)"
local _, refusal <const> = luath.try(admin.verifyIDToken, admin, unsigned)
assert(refusal.code == "invalidIDToken", "an unsigned token counts")

local count = 0
for _ in admin:listUsers() do count = count + 1 end
assert(admin:generatePasswordResetLink(made.email):find("oobCode=", 1, true))
admin:deleteUser(made.uid)
print("administrated", count)
