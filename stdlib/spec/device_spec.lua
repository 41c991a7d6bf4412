local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local task = require "luath.task"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local form = flows.form

local corp = Auth.OAuthProvider "oidc.corp"

-- The user at the other device.
local function person(info, answers)
  local all = { fields = { user_code = info.userCode } }
  for name, value in pairs(answers or {}) do
    all[name] = value
  end
  return ui.show(form("barbara@corp.example", all), info.verificationURI,
    emulator.origin .. "/oidc/corp/device/done")
end

local function device(options)
  local all = {
    issuer = emulator.origin .. "/oidc/corp", clientID = "luath-client-oidc.corp",
    clientSecret = "luath-secret-oidc.corp", prompt = person,
  }
  for name, value in pairs(options or {}) do
    all[name] = value
  end
  return ui.device(all)
end


describe("signing in on another device", function()
  it("a person types the code elsewhere, and is signed in here", function()
    local seen, finished
    local way = device { prompt = function(info)
      seen = info
      finished = task.spawn(person, info)
    end }
    assert(tostring(way):find("ui.device", 1, true), tostring(way))
    local credential = corp:getCredential(way)
    finished:await()
    equal(credential.provider, "oidc.corp")
    assert(seen.userCode:match "^%u%u%u%u%-%u%u%u%u$", seen.userCode)
    equal(seen.verificationURI, emulator.origin .. "/oidc/corp/device")
    equal(seen.verificationURIComplete, seen.verificationURI .. "?user_code=" .. seen.userCode)
    equal(seen.expiresIn, 900)
    equal(seen.interval, 1)
    local result = auth:signIn(credential)
    equal(result.user.email, "barbara@corp.example")
  end)

  it("the address with the code in it needs no typing, and Google knows devices too", function()
    local function complete(info)
      ui.show(form "barbara@corp.example", info.verificationURIComplete,
        emulator.origin .. "/oidc/corp/device/done")
    end
    local result = auth:signIn(corp, device { prompt = complete, scopes = { "openid", "email" } })
    equal(result.user.email, "barbara@corp.example")
    auth:signOut()
    local google = auth:signIn(Auth.OAuthProvider "google.com", device {
      issuer = "https://accounts.google.com", clientID = "luath-client-google.com",
      clientSecret = "luath-secret-google.com",
      prompt = function(info)
        ui.show(form("grace@fabrikam.example", { fields = { user_code = info.userCode } }),
          info.verificationURI,
          emulator.origin .. "/accounts.google.com/o/oauth2/device/usercode/done")
      end,
    })
    equal(google.user.email, "grace@fabrikam.example")
  end)

  it("every way it can end has its own code", function()
    local function fails(code, options, provider)
      return refused(code, corp.getCredential, provider or corp, device(options))
    end
    fails("webConsentDenied", { prompt = function(info) person(info, { consent = false }) end })
    fails("webContextTimedOut", { prompt = function() emulator.advance(901) end })
    fails("webContextTimedOut", { prompt = function() end, timeout = 0.2 })
    local err = fails("webSignInUserInteractionFailure", { prompt = function() error "no screen" end })
    assert(err.message:find("no screen", 1, true), err.message)
    err = fails("webPageUnusable", { issuer = emulator.origin .. "/api.login.yahoo.com" })
    assert(err.message:find("device_authorization_endpoint", 1, true), err.message)
    fails("invalidClientID", { clientSecret = "wrong" })
    fails("invalidClientID", { clientID = "other" })
    fails("webNetworkRequestFailed", { issuer = "http://127.0.0.1:1" })
    fails("webInternalError", { issuer = emulator.origin .. "/oidc/nowhere" })
    for _, id in ipairs { "microsoft.com", "yahoo.com", "facebook.com" } do
      err = fails("invalidCredential", { issuer = "http://127.0.0.1:1" }, Auth.OAuthProvider(id))
      assert(err.message:find("which app", 1, true), err.message)
    end
    -- Whoever shows pages cannot use it.
    refused("webPageUnusable", ui.show, device(), emulator.origin, emulator.origin)
  end)

  it("a cancelled task stops asking", function()
    local shown = false
    local waiting = task.spawn(function()
      return corp:getCredential(device { prompt = function() shown = true end })
    end)
    while not shown do task.sleep(0.01) end
    waiting:cancel()
    refused("cancelled", waiting.await, waiting)
    -- And the next one is free to begin.
    equal(auth:signIn(corp, device()).user.email, "barbara@corp.example")
  end)

  it("a device needs an issuer and a client", function()
    mistake("option 'issuer' is missing", ui.device, { clientID = "c" })
    mistake("option 'clientID' is missing", ui.device, { issuer = "http://127.0.0.1" })
    mistake("option 'clientID' is missing", ui.device, { issuer = "http://127.0.0.1", clientID = "" })
    mistake("86400 seconds", device, { timeout = 0 })
    mistake("86400 seconds", device, { timeout = 0 / 0 })
    mistake("bad argument", ui.device)
    mistake("bad argument", device, { prompt = "x" })
  end)
end)
