local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local host = require "luath.host"
local http = require "luath.http"
local json = require "luath.json"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, way = flows.provider, flows.way


describe("luath.emulator", function()
  -- S27
  it("settings change one by one", function()
    local function settings()
      return http.get(emulator.origin .. "/emulator/v1/projects/" .. host.projectID .. "/config"):json()
    end
    equal(settings().emailPrivacyConfig.enableImprovedEmailPrivacy, true)
    equal(settings().signIn.allowDuplicateEmails, false)
    emulator.configure { enumerationProtection = false }
    equal(settings().emailPrivacyConfig.enableImprovedEmailPrivacy, false)
    equal(settings().signIn.allowDuplicateEmails, false)
    emulator.configure { oneAccountPerEmail = false, providers = { ["yahoo.com"] = false } }
    equal(settings().signIn.allowDuplicateEmails, true)
    equal(settings().providers["yahoo.com"].enabled, false)
    equal(settings().providers["google.com"].enabled, true)
    emulator.configure {}
    mistake("no option", emulator.configure, { enumerationprotection = true })
    mistake("bad argument", emulator.configure, { enumerationProtection = "yes" })
    mistake("bad argument", emulator.configure, { providers = { ["yahoo.com"] = {} } })
    mistake("bad argument", emulator.configure)
    local err = refused("emulatorRefused", emulator.configure, { providers = { ["oidc.unknown"] = true } })
    assert(err.message:find("oidc.unknown", 1, true), err.message)
  end)

  it("the clock only moves forward", function()
    local user = auth:signInAnonymously().user
    local before = user:getIDTokenResult(true).issuedAtDate
    emulator.advance(3600)
    emulator.advance(0)
    local after = user:getIDTokenResult(true).issuedAtDate
    assert(after - before >= 3600 and after - before < 3660)
    mistake("forward", emulator.advance, -1)
    mistake("bad argument", emulator.advance, 0.5)
    mistake("bad argument", emulator.advance, "soon")
    mistake("century", emulator.advance, math.maxinteger)
    assert(user:getIDToken(true))
  end)

  -- S23
  it("clearing deletes the accounts and nothing else", function()
    local first = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    emulator.configure { enumerationProtection = false }
    emulator.clear()
    local ok, err = pcall(first.reload, first)
    assert(not ok and (err.code == "userNotFound" or err.code == "userTokenExpired"), tostring(err))
    equal(auth.currentUser, nil)
    local second = auth:signIn(provider("microsoft.com", "ada@contoso.example"))
    equal(second.additionalUserInfo.isNewUser, true)
    equal(way(second.user, "microsoft.com").uid, way(first, "microsoft.com").uid)
    refused("userNotFound", auth.signIn, auth, { email = "b@c.example", password = "correct horse" })
  end)

  it("people are told without their passwords", function()
    local people = emulator.people()
    equal(#people, 5)
    equal(people[1].email, "ada@contoso.example")
    equal(people[1].microsoft.tenant, "contoso.example")
    assert(not json.encode(people):find(flows.password, 1, true))
  end)

  -- B6
  it("a script makes requests go wrong and sees that they did", function()
    emulator.setFaults({ { operation = "signUp", error = "QUOTA_EXCEEDED", count = 1 } }, 7)
    refused("quotaExceeded", auth.signInAnonymously, auth)
    local user = auth:signInAnonymously().user
    equal(emulator.listFaults()[1].struck, 1)
    emulator.setFaults { { operation = "lookup", drop = true } }
    refused("networkError", user.reload, user)
    emulator.setFaults {}
    user:reload()
    emulator.setFaults { { operation = "lookup", revokeTokens = true, count = 1 } }
    refused("userTokenExpired", user.reload, user)
    emulator.setFaults {}
    equal(#emulator.listFaults(), 0)
    local err = refused("emulatorRefused", emulator.setFaults, { { operation = "fly", error = "503" } })
    assert(err.message:find("fly", 1, true), err.message)
    mistake("bad argument", emulator.setFaults)
    emulator.setClock "2030-01-01T00:00:00Z"
    local at = auth:signInAnonymously().user:getIDTokenResult().issuedAtDate
    assert(at >= 1893456000 and at < 1893456100, at)
    refused("emulatorRefused", emulator.setClock, "soon")
  end)
end)
