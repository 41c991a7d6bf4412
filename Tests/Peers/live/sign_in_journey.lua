--- What the live view is looked at with: one journey passes, one fails until it is edited, one takes its time.
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey("Ada signs in", { tags = { "smoke" } }, function(j)
  local ada <const> = j.users:new { name = "Ada Lovelace", password = "correct horse battery" }
  local err <const> = j:step("with Microsoft, as a second sign-in method", function()
    return expect.raises("accountExistsWithDifferentCredential", ada.signIn, ada, "microsoft.com")
  end)
  j:step("with her password", function()
    ada:signIn()
    ada.user:link(err.pendingCredential)
  end)
  expect.same(ada:signInMethods(), { "microsoft.com", "password" })
end)

journey("a wrong password is refused", { tags = { "errors" } }, function(j)
  local grace <const> = j.users:new { name = "Grace Hopper", password = "correct horse battery" }
  j:step("she mistypes it", function()
    local err <const> = expect.raises(function()
      grace.auth:signIn { email = grace.email, password = "correct horse bakery" }
    end)
    expect.equal(err.code, "wrongPasswort")
  end)
end)
