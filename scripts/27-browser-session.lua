--- Lesson 27: a browser that starts signed in. A web app's test needs no login page: luath stores
--- the user where Firebase's JavaScript SDK looks for it.
---
--- Playwright reads the file (docs/guides/browser-sessions.md has the other tools). The last part
--- needs chromium (or chromium-headless-shell) and chromedriver of the same version.
---
--- Usage: luath run scripts/27-browser-session.lua [-- FILE]
---
--- Arguments: FILE is the file for Playwright; when not given, a temporary file that is deleted.
---
--- Sample output:
---
---     state          BrowserState(ada@luath.example at http://localhost:3000)
---     file           http://localhost:3000: 1 user, in firebaseLocalStorageDb
---     two users      http://localhost:3000 http://localhost:3001
---     in a page      ada@luath.example, whom the backend accepts
---     disabled       refused: userDisabled

local Auth <const> = require "luath.auth"
local admin <const> = require("luath.admin").admin()
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local json <const> = require "luath.json"
local luath <const> = require "luath"
local webdriver <const> = require "luath.webdriver"

local function say(what, how)
  print(("%-14s %s"):format(what, how))
end

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()

-- 1. Sign in, and describe the app: its origin, and the apiKey of its firebaseConfig.
local auth <const> = Auth.auth()
local user <const> = auth:createUser("ada@luath.example", crypto.random()).user
local state <const> = auth:browserState { origin = "http://localhost:3000", apiKey = "demo-key" }
say("state", tostring(state))

-- 2. The file for Playwright. It has tokens, so only its owner can read it.
local file <const> = arg[1] or os.tmpname()
state:save(file)
do
  local handle <close> = assert(io.open(file))
  local origin <const> = json.decode(handle:read "a").origins[1]
  local database <const> = origin.indexedDB[1]
  local records <const> = database.stores[1].records
  assert(records[1].value.fbase_key == "firebase:authUser:demo-key:[DEFAULT]")
  say("file", ("%s: %d user, in %s"):format(origin.origin, #records, database.name))
end
if not arg[1] then
  os.remove(file)
end

-- 3. Several users and origins in one file: an anonymous user of another app.
local guest <const> = auth:session()
guest:signInAnonymously()
local both <const> = state:add(guest:browserState {
  origin = "http://localhost:3001", apiKey = "demo-key", persistence = "local",
})
say("two users", table.concat(both.origins, " "))

-- 4. A page of luath.webdriver. The emulator's own page stands for the app here.
do
  local page <close> = webdriver.open { timeout = 5 }
  page:signInAs(auth, { origin = emulator.origin, apiKey = "demo-key", persistence = "local" })
  local kept <const> = json.decode(page:eval(
    "return localStorage.getItem(arguments[0])", "firebase:authUser:demo-key:[DEFAULT]"))
  local token <const> = admin:verifyIDToken(kept.stsTokenManager.accessToken)
  assert(token.uid == user.uid, "somebody else is signed in")
  say("in a page", kept.email .. ", whom the backend accepts")
end

-- 5. The account is read again for each state, so a user who cannot sign in is an error here, and
-- not a riddle in the browser.
admin:updateUser(user.uid, { disabled = true })
local none, err <const> = luath.try(auth.browserState, auth, {
  origin = "http://localhost:3000", apiKey = "demo-key",
})
assert(none == nil and err.code == Auth.ErrorCode.userDisabled, tostring(err))
say("disabled", "refused: " .. err.code)
