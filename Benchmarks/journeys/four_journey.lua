-- A thousand journeys of four operations: signing up, signing in, a new name, and deletion.
local Auth <const> = require "luath.auth"
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

local auth <const> = Auth.auth()

for number = 1, 1000 do
  journey(("person %d comes and goes"):format(number), function(j)
    local email = j:unique "person" .. "@luath.example"
    auth:createUser(email, "correct horse")
    local user = auth:signIn(Auth.EmailAuthProvider.credential(email, "correct horse")).user
    user:updateProfile { displayName = "Ada" }
    expect.equal(user.displayName, "Ada")
    user:delete()
  end)
end
