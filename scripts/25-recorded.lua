--- Lesson 25: record the pages of a sign-in, and go through them offline.
---
--- A recording is one JSON file with the pages a provider showed and the names of the fields that
--- were sent. No password, code, state or cookie is in it, so it can lie beside the tests.
--- Replayed, it checks that a script still has the right answers, without the provider and its
--- limits.
---
--- Usage: luath run scripts/25-recorded.lua
---
--- Sample output:
---
---     recorded       5 exchanges with google.com, 0 passwords
---     replayed       ada@contoso.example, the same account
---     no password    webPageUnusable: missingAnswer
---     denied         webConsentDenied
---     recorded so    webConsentDenied, then and now

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local json <const> = require "luath.json"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"

emulator.clear()
local auth <const> = Auth.auth()
local file <const> = os.tmpname()
local password <const> = "luath-demo"

local google <const> = Auth.OAuthProvider "google.com"
google.customParameters = { prompt = "consent", login_hint = "ada@contoso.example" }

--- The answers of each sign-in, and more of one.
---@return any
local function answers(more)
  local all = { username = "ada@contoso.example", password = password }
  for name, value in pairs(more or {}) do all[name] = value end
  return all
end

local function content()
  local handle <close> = assert(io.open(file))
  return handle:read "a"
end

-- 1. Record once, here against the emulator. Against a real provider only the target differs.
local form <const> = ui.form(answers())
local user <const> = auth:signIn(google:getCredential(ui.record(form, file))).user
local recording <const> = json.decode(content())
local _, passwords <const> = content():gsub(password, "")
print(("recorded       %d exchanges with %s, %d passwords"):format(
  #recording.exchanges, recording.provider, passwords))
assert(passwords == 0, "the recording holds the password")

-- 2. Replay it: the recorded pages are filled with these answers, and nothing of that touches the
-- network. A code is for one use, so the emulator's own provider finishes the sign-in.
local replay <const> = ui.recorded(answers { file = file })
local again <const> = auth:signIn(google:getCredential(replay)).user
print(("replayed       %s, the same account"):format(again.email))
assert(again.uid == user.uid, "another account")

-- 3. A script that forgets an answer fails as it would at the provider.
local nothing, refusal = luath.try(google.getCredential, google,
  ui.recorded { file = file, username = "ada@contoso.example" })
assert(nothing == nil, "nobody asked for the password")
print(("no password    %s: %s"):format(refusal.code, refusal.details.reason))
assert(refusal.code == Auth.ErrorCode.webPageUnusable)

-- 4. Another choice has another result than the recording.
nothing, refusal = luath.try(google.getCredential, google,
  ui.recorded(answers { file = file, consent = false }))
assert(nothing == nil, "the consent was denied")
print("denied         " .. refusal.code)
assert(refusal.code == Auth.ErrorCode.webConsentDenied)

-- 5. Failures are recorded as well, and fail again with the same code.
local denying <const> = answers { consent = false }
local _, first <const> = luath.try(google.getCredential, google, ui.record(ui.form(denying), file))
denying.file = file
local _, second <const> = luath.try(google.getCredential, google, ui.recorded(denying))
print(("recorded so    %s, then and now"):format(second.code))
assert(first.code == second.code and second.code == Auth.ErrorCode.webConsentDenied)

os.remove(file)
