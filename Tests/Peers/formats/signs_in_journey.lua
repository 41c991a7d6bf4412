--- Journeys that pass, with exchanges and steps, for reports that others read.
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey("signs in & out with <Microsoft> # TODO \\ \"it's\" ✓, 名前", { tags = { "merge" } }, function(j)
  local ada <const> = j.users:new()
  j:step("signs in # SKIP", function()
    ada:signIn "microsoft.com"
    j:step("looks", function()
      expect.same(ada:signInMethods(), { "microsoft.com" })
    end)
  end)
  j:step("signs out", ada.signOut, ada)
  print("she is out # of here\n\tnot ok 7 - at all\nok 99\n1..3\nBail out!\0\27[31m]]>&amp;")
end)

journey("has a password", function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  ada:signIn()
  expect.equal(ada.user.email, ada.email)
end)

journey.skip("is left out: 100% # of it", function() end)
journey.pending("is to come, {later}")
