-- Does all it can to have its secrets shown, and writes them down for the test.
local luath, journey = require "luath", require "luath.journey"
local http, emulator = require "luath.http", require "luath.emulator"

local function show(j, secret)
  local file = assert(io.open("known.txt", "a"))
  file:write(secret, "\n")
  file:close()
  print("it is " .. secret)
  j:log("<" .. secret .. ">")
end

journey("shows everything", function(j)
  local ada = j.users:new { name = "Ada", password = "hunter2-pass" }
  show(j, "hunter2-pass")
  show(j, luath.secret "API_SECRET")
  show(j, j:secret "marked / s3cret?&=")
  local user = ada:signIn("google.com").user
  show(j, user:getIDToken())
  show(j, user.refreshToken)
  j:step("with " .. user.refreshToken, function()
    ada.user:updatePassword "another-s3cret"
  end)
  show(j, "another-s3cret")
  http.post(emulator.origin .. "/nowhere?key=an-unknown-key-1&code=co-de-0123", {
    headers = { Authorization = "Basic YWRhOnBhcjBsZS0x", Cookie = "sid=c00kie-value" },
    form = { password = "form-s3cret", note = "hunter2-pass" },
  })
  for _, secret in ipairs { "form-s3cret", "par0le-1", "an-unknown-key-1", "co-de-0123",
    "c00kie-value" } do
    show(j, secret)
  end
  ada.user:sendEmailVerification()
  local mail = ada:newestEmail()
  show(j, mail.oobCode)
  j:log(mail.text .. mail.html)
  show(j, "cl1ent-secret-of-google")
  require("luath.expect").snapshot {
    token = user:getIDToken(), text = "marked / s3cret?&= and another-s3cret",
    env = "env-s3cret-value", link = "http://127.0.0.1:1/a?oobCode=co-de-0123&lang=fr",
    body = '{"refreshToken":"' .. user.refreshToken .. '","password":"hunter2-pass"}',
  }
  local place = "hunter2-pass/cl1ent-secret-of-google"
  assert(load("local j = ... j:step('a place', function() end)", "@" .. place))(j)
  require("luath.expect").soft.equal("hunter2-pass", user.refreshToken)
  error { message = "hunter2-pass " .. user.refreshToken, where = place .. ":1" }
end)
