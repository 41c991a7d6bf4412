-- A session from its first token to the end of the account, and what must not happen on the way.
local Auth <const> = require "luath.auth"
local http <const> = require "luath.http"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"

local password <const> = luath.secret "ADA_PASSWORD"
local auth <const> = Auth.auth()
local user <const> = auth:createUser("grace@fabrikam.example", password).user
assert(#user:getIDToken(true) > 0)
user:updateProfile { displayName = "Grace" }
user:reload()
assert(user.displayName == "Grace")

-- Proving to be somebody who has no account must not make one.
local microsoft <const> = Auth.OAuthProvider "microsoft.com"
microsoft.customParameters = { login_hint = "alan@outlook.example" }
local page <const> = ui.form { username = "alan@outlook.example", password = password }
local _, stranger = luath.try(user.reauthenticate, user, microsoft, page)
assert(stranger.code == "userMismatch", tostring(stranger))
assert(auth.currentUser.uid == user.uid)

-- A host of the project is not spoken to in the clear, not even by hand.
local _, plain = luath.try(http.get, "http://identitytoolkit.googleapis.com/v1/projects")
assert(plain.code == "tls" and plain.hint:find("https", 1, true), tostring(plain))

if arg[1] == "delete" then user:delete() end
print(auth.currentUser and "kept" or "deleted")
