--- Journeys that end in every other way, for reports that others read.
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

local tries = 0

journey("differs in a table", function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  j:step("looks", function()
    ada:signIn()
    expect.soft.same({ a = "- x", ["b: c"] = { 1, 2, "]]>\n...\n---\n" } }, { a = "# y" })
    expect.equal(ada.user.email, "\"ada\"\\ <at> \0\27[31m & 'x'\r\n\tnot ok 3\n  ...")
  end)
end)

journey("raises what luath raises", function(j)
  j.users:new():signIn()
end)

journey("raises a table", function()
  error { ["a: b"] = "- c" }
end)

journey("wavers", { retries = 2 }, function()
  tries = tries + 1
  expect.equal(tries, 3)
end)
