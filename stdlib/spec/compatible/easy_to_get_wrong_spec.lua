local flows = require "support.flows"
local Auth = require "luath.auth"
local json = require "luath.json"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused


describe("what is easy to get wrong", function()
  -- Firebase's emulator makes the account although it is asked not to, so at least the error names it.
  it("no. 12 a reauthentication as somebody else names the account that it made", function()
    local function google(sub)
      local claims = { sub = sub, email = sub .. "@x.example", email_verified = true }
      return Auth.GoogleAuthProvider.credential(json.encode(claims))
    end
    local user = auth:signIn(google "ada").user
    local err = refused("userMismatch", user.reauthenticate, user, google "yuki")
    equal(auth.currentUser, user)
    equal(err.details.strayAccount, auth:signIn(google "yuki").user.uid)
    assert(err.hint:find("stray", 1, true), err.hint)
  end)
end)
