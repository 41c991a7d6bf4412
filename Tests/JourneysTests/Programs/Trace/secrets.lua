-- Does all it can to have its secrets shown.
local luath <const> = require "luath"
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"
local runner <const> = require "luath.runner"
local emulator <const> = require "luath.emulator"

local function show(secret)
  print("known " .. secret:reverse())
  print("it is " .. secret)
  io.write("written ", secret, "\n")
  runner.emit("log", { level = "warning", text = "<" .. secret .. ">" })
end

journey("shows everything", function(j)
  local ada <const> = j.users:new { name = "Ada", password = "hunter2-pass" }
  show("hunter2-pass")
  show(luath.secret "API_SECRET")
  show(luath.secret "SECOND")
  show(runner.secret "marked / s3cret?&=")
  local user <const> = ada:signIn("google.com").user
  show(user:getIDToken())
  show(user.refreshToken)
  j:step("with " .. user.refreshToken, function()
    ada.user:updatePassword "another-s3cret"
  end)
  show("another-s3cret")
  local origin <const> = emulator.origin
  http.post(origin .. "/nowhere?key=an-unknown-key-1&code=" .. "co-de-0123", {
    headers = { Authorization = "Basic YWRhOnBhcjBsZQ==" },
    form = { password = "form-s3cret", note = "hunter2-pass" },
  })
  show("form-s3cret")
  show("par0le")
  show("an-unknown-key-1")
  show("co-de-0123")
  error("hunter2-pass " .. user.refreshToken)
end)
