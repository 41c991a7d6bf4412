--- Lesson 24: sign in on a device that has no browser, by a code typed elsewhere (RFC 8628).
---
--- A television or a server shows an address and a code. The person opens the address on their
--- phone, types the code and signs in there, while the device asks the provider again and
--- again whether they are done. Here a second task of this script is the person.
---
--- Usage: luath run scripts/24-device.lua
---
--- Sample output:
---
---     the device   open http://127.0.0.1:41234/oidc/corp/device and enter WDJB-MJHT
---     the person   typed the code, signed in and accepted
---     signed in    Barbara Liskov <barbara@corp.example> with oidc.corp
---     denied       webConsentDenied
---     too slow     webContextTimedOut
---     Microsoft    invalidCredential

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local luath <const> = require "luath"
local task <const> = require "luath.task"
local ui <const> = require "luath.ui"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()
local corp <const> = Auth.OAuthProvider "oidc.corp"

--- The device: `prompt` shows address and code. Without it the terminal does, with a QR code.
local function device(prompt)
  return ui.device {
    issuer = emulator.origin .. "/oidc/corp",
    clientID = "luath-client-oidc.corp",
    clientSecret = host.env "OIDC_CLIENT_SECRET" or "luath-secret-oidc.corp",
    prompt = prompt,
  }
end

--- The person, with another browser somewhere else.
local function person(info, consent)
  local answers <const> = ui.form {
    username = "barbara@corp.example",
    password = host.env "OIDC_PASSWORD" or "luath-demo",
    fields = { user_code = info.userCode },
    consent = consent,
  }
  -- This page leads back to no app: it explains that the rest happens on the device.
  return ui.show(answers, info.verificationURI, info.verificationURI .. "/done")
end

-- 1. The device shows the code and waits; the person types it meanwhile.
local elsewhere
local credential <const> = corp:getCredential(device(function(info)
  print(("the device   open %s and enter %s"):format(info.verificationURI, info.userCode))
  elsewhere = task.spawn(person, info)
end))
elsewhere:await()
print("the person   typed the code, signed in and accepted")

-- 2. The provider gave the device tokens, and the backend accepts the ID token.
local user <const> = auth:signIn(credential).user
print(("signed in    %s <%s> with %s"):format(
  user.displayName, user.email, user.providerData[1].providerID))
assert(user.email == "barbara@corp.example", "another person than asked for")

-- 3. A person who refuses, or does nothing, ends the wait.
local nothing, denied <const> = luath.try(corp.getCredential, corp, device(function(info)
  person(info, false)
end))
assert(nothing == nil, "a refusal gave a credential")
print("denied       " .. denied.code)
assert(denied.code == Auth.ErrorCode.webConsentDenied, "refused for another reason")

local none, late <const> = luath.try(corp.getCredential, corp, device(function(info)
  emulator.advance(info.expiresIn + 1)
end))
assert(none == nil, "an expired code gave a credential")
print("too slow     " .. late.code)
assert(late.code == Auth.ErrorCode.webContextTimedOut, "refused for another reason")

-- 4. Microsoft's and Yahoo's tokens do not name the app they were made for, so the backend refuses
-- those of a device. luath raises the error before a user types a code.
local microsoft <const> = Auth.OAuthProvider "microsoft.com"
local no, refusal <const> = luath.try(microsoft.getCredential, microsoft, device())
assert(no == nil, "Microsoft's tokens were taken")
print("Microsoft    " .. refusal.code)
assert(refusal.code == Auth.ErrorCode.invalidCredential, "refused for another reason")
