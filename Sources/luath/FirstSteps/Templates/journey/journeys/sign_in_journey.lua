--- Sign-ins: one for each row of people.csv, and one with a wrong password.
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey("{name} signs in with {provider}, signs out and signs in again", {
  tags = { "sign-in" },
  each = "people.csv",
}, function(j, row)
  local person <const> = j.users:new { name = row.name }
  local uid <const> = person:signIn(row.provider).user.uid
  expect.same(person:signInMethods(), { row.provider })
  person:signOut()
  expect.isNil(person.user)
  expect.equal(person:signIn(row.provider).user.uid, uid)
end)

journey("a wrong password is refused", { tags = { "sign-in" } }, function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  ada:signIn()
  ada:signOut()
  expect.raises("invalidCredential", function()
    ada.auth:signIn { email = ada.email, password = "a guess" }
  end)
end)
