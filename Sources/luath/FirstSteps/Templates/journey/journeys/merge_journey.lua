--- The account merge: a user with a password signs in with Microsoft.
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey.configure { tags = { "merge" } }

journey("a password customer adds Microsoft and keeps the account", function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  local uid <const> = ada:signIn().user.uid
  ada:signOut()

  local err <const> = j:step("Microsoft is refused, with the pending credential", function()
    return expect.raises(
      "accountExistsWithDifferentCredential", ada.signIn, ada, "microsoft.com")
  end)

  j:step("she signs in with her password, and links Microsoft", function()
    ada:signIn()
    ada.user:link(err.pendingCredential)
    expect.same(ada:signInMethods(), { "microsoft.com", "password" })
  end)

  j:step("now Microsoft signs in to the same account", function()
    ada:signOut()
    expect.equal(ada:signIn("microsoft.com").user.uid, uid)
  end)
end)
