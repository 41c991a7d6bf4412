--- Lesson 26: sign in with your own browser.
---
--- Your browser has your passwords and passkeys, so on a real project you sign in there: luath
--- opens the page, waits on this machine for the browser to come back, and goes on. Where no
--- browser can be opened, as over ssh, you paste the address it ends at.
---
--- Without an argument the script plays the person itself, so that it runs alone on the emulator.
---
--- Usage: luath run scripts/26-your-browser.lua [-- browser|paste]
---
--- Sample output:
---
---     redirected to  http://localhost, with the page: Sign-in handed over
---     signed in      ada@contoso.example
---     a false answer refused: webStateMismatch

local Auth <const> = require "luath.auth"
local http <const> = require "luath.http"
local luath <const> = require "luath"
local task <const> = require "luath.task"
local ui <const> = require "luath.ui"

local auth <const> = Auth.auth()
local microsoft <const> = Auth.OAuthProvider "microsoft.com"
microsoft.customParameters = { login_hint = "ada@contoso.example" }

-- 1. With a person at hand: in their browser, or wherever they like.
local way <const> = ...
if way == "browser" then
  print("signed in", auth:signIn(microsoft, ui.browser { timeout = 120 }).user.email)
  return
elseif way == "paste" then
  print("signed in", auth:signIn(microsoft, ui.paste { qr = true }).user.email)
  return
end

-- 2. Without one: `open` stands for the system's way to open a page. The form is filled in beside
-- the sign-in, as a browser goes its own way, and then the browser is sent back.
local shown
local function person(url)
  task.spawn(function()
    local back <const> = http.parseForm(url).redirect_uri
    local ada <const> = ui.form { username = "ada@contoso.example", password = "luath-demo" }
    local page <const> = http.get(ui.show(ada, url, back))
    shown = ("%s, with the page: %s"):format(back:match "^(.*):", page.body:match "<h1>(.-)</h1>")
  end)
end

local result <const> = auth:signIn(microsoft, ui.browser { open = person })
while not shown do
  task.sleep(0)
end
print("redirected to  " .. shown)
print("signed in      " .. result.user.email)
assert(result.user.email == "ada@contoso.example", "another person than asked for")

-- 3. A program that guesses the port can send a response there, but not one of this sign-in.
local forged <const> = ui.browser {
  redirectURI = "http://127.0.0.1/callback",
  open = function(url)
    local back <const> = http.parseForm(url).redirect_uri
    task.spawn(http.get, back .. "?code=guessed&state=guessed")
  end,
}
local nothing, refusal <const> = luath.try(microsoft.getCredential, microsoft, forged)
assert(nothing == nil and refusal.code == "webStateMismatch", "a false answer was taken")
print("a false answer refused: " .. refusal.code)
