--- Lesson 23: a browser. The emulator's own pages are driven as a person would, a sign-in is done
--- by a function that presses the buttons itself, and the browser goes when the script does.
---
--- It needs chromium (or chromium-headless-shell) and chromedriver of the same version.
---
--- Usage: luath run scripts/23-browser-page.lua
---        luath run --headed scripts/23-browser-page.lua    to look on
---
--- Sample output:
---
---     overview      Overview – luath emulator
---     no button     elementNotFound: the button "Buy" is not on the page
---     by answers    ada@contoso.example
---     by hand       ada@contoso.example, demo-luath asks for your consent
---     denied        webConsentDenied

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"
local webdriver <const> = require "luath.webdriver"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()

local password <const> = host.env "ADA_PASSWORD" or "luath-demo"
local auth <const> = Auth.auth()
local microsoft <const> = Auth.OAuthProvider "microsoft.com"
microsoft.customParameters = { prompt = "consent", login_hint = "ada@contoso.example" }

-- 1. A new page. The variable closes it, and its browser, at the end of the block.
do
  local page <close> = webdriver.open { timeout = 5 }
  page:go(emulator.origin .. "/")
  print("overview      " .. page:title())

  -- What is not there is an error that a script can catch, after the time it may take.
  local _, err = luath.try(page.click, page, { role = "button", name = "Buy" }, { timeout = 0.2 })
  assert(err and err.code == "elementNotFound", "a button Buy was found")
  print("no button     " .. err.code .. ": " .. err.message)
end

-- 2. A sign-in in a browser, by the answers that ui.form takes.
local ada <const> = ui.webdriver { username = "ada@contoso.example", password = password }
local result = auth:signIn(microsoft, ada)
print("by answers    " .. result.user.email)

-- 3. The same with a function, which gets the page and need not return anything: the sign-in is
-- over when the browser comes to the redirect address.
local asked
result = auth:signIn(microsoft, ui.webdriver {
  script = function(page)
    page:fill("input[type=password]", password)
    page:press "Enter"
    page:waitFor { role = "button", name = "Accept" }
    asked = page:text "h1"
    page:click { role = "button", name = "Accept" }
  end,
})
print("by hand       " .. result.user.email .. ", " .. asked)

-- 4. Refusing.
local _, err = luath.try(auth.signIn, auth, microsoft, ui.webdriver {
  username = "ada@contoso.example",
  password = password,
  consent = false,
})
assert(err and err.code == "webConsentDenied", "consent was not denied")
print("denied        " .. err.code)
