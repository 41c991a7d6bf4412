-- The merge, on a project that luath takes for a real one: somebody with a password comes with Microsoft.
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"

local email <const>, password <const> = "ada@contoso.example", luath.secret "ADA_PASSWORD"
local auth <const> = Auth.auth()
local uid <const> = auth:createUser(email, password).user.uid
auth:signOut()

local microsoft <const> = Auth.OAuthProvider "microsoft.com"
microsoft.customParameters = { login_hint = email }
local page <const> = ui.form { username = email, password = password }

-- Nobody answers for a person on a real project.
local _, unanswered = luath.try(microsoft.getCredential, microsoft)
assert(unanswered.code == "webPageUnusable", tostring(unanswered))

local result, err = luath.try(auth.signIn, auth, microsoft, page)
assert(not result and err.code == Auth.ErrorCode.accountExistsWithDifferentCredential, tostring(err))
assert(err.email == email and auth:fetchProviders(email):contains "password")

local user <const> = auth:signIn({ email = err.email, password = password }).user
user:link(err.pendingCredential)
assert(user.uid == uid)
assert(auth:signIn(microsoft, page).user.uid == uid)

-- What only an emulator can do is refused before anything is sent.
local _, real = luath.try(emulator.clear)
assert(real.code == "notEmulated", tostring(real))
print("merged", #auth.currentUser.providerData)
