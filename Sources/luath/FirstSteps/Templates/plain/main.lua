-- Signs Ada in with Microsoft, links a password to her account, and signs her in with it.
local Auth <const> = require "luath.auth"

local auth <const> = Auth.auth()

-- luath fills in the login page of the emulated Microsoft, for the test user in luath.lua.
local microsoft <const> = Auth.OAuthProvider "microsoft.com"
microsoft.customParameters = { login_hint = "ada@contoso.example" }

local user <const> = auth:signIn(microsoft).user
print(("%s signed in with Microsoft"):format(user.displayName))

user:link(Auth.EmailAuthProvider.credential(user.email, "correct horse"))
auth:signOut()

local again <const> = auth:signIn { email = user.email, password = "correct horse" }.user
assert(again.uid == user.uid)
print(("%s signed in with her password, to the same account"):format(again.displayName))
