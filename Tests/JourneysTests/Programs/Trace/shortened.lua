local expect <const> = require "luath.expect"
require("luath.journey")("shortens", function(j)
  local long <const> = ("wandering-Albatross-"):rep(6)
  local vast <const> = ("uncommon-Marmalade+"):rep(200)
  j:secret(vast)
  local person <const> = j.users:new { password = long }
  local user <const> = person:signIn("google.com").user
  expect.soft.equal(user.refreshToken, "x")
  expect.soft.equal("x", user.refreshToken)
  expect.soft.equal(long, "x")
  expect.soft.equal({ long, "y" }, { "x", "y" })
  expect.soft.equal("x", long)
  expect.soft.same({ nested = { name = long } }, { nested = { name = "x" } })
  expect.soft.matches(vast, "^x")
  expect.equal(vast, "x")
end)
