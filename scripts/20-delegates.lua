--- Lesson 20: show the same sign-in pages in three ways, by changing one line.
---
--- A delegate shows the provider's page and brings back the address it ends at. What it is makes no
--- difference to the rest of a script: luath may fill in the forms itself, a real browser may do
--- it, or a Lua function of your own.
---
--- Usage: luath run scripts/20-delegates.lua [-- form | browser | function]
---
--- Sample output:
---
---     form       microsoft.com  Ada Lovelace
---     form       yahoo.com      Yuki Tanaka
---     form       oidc.corp      Barbara Liskov
---     browser    microsoft.com  Ada Lovelace
---     browser    yahoo.com      Yuki Tanaka
---     browser    oidc.corp      Barbara Liskov
---     function   microsoft.com  Ada Lovelace, shown login.microsoftonline.com
---     function   yahoo.com      Yuki Tanaka, shown api.login.yahoo.com
---     function   oidc.corp      Barbara Liskov, shown oidc

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"

local auth <const> = Auth.auth()
local password <const> = host.env "DEMO_PASSWORD" or "luath-demo"

-- What a custom function has seen, for the output.
local seen = ""

--- The three ways, each as the delegate for one person.
local ways <const> = {
  form = function(email)
    return ui.form { username = email, password = password }
  end,
  -- Where this luath drives browsers; others have the two other ways.
  browser = ui.webdriver and function(email)
    return ui.webdriver { username = email, password = password }
  end,
  ["function"] = function(email)
    -- It gets the page's address and what is known of the sign-in, and returns the final address.
    return function(page)
      seen = ", shown " .. page.url:match "//[^/]+/([^/]+)"
      local form <const> = ui.form { username = email, password = password }
      return ui.show(form, page.url, page.redirectURI)
    end
  end,
}

--- One person's journey: the page, the credential, the sign-in.
local function journey(show, providerID, email)
  local provider <const> = Auth.OAuthProvider(providerID)
  provider.customParameters = { login_hint = email }
  -- The line that changes: ways.form, ways.browser or ways["function"].
  return auth:signIn(provider:getCredential(show(email))).user
end

local people <const> = {
  { "microsoft.com", "ada@contoso.example" },
  { "yahoo.com", "yuki@yahoo.example" },
  { "oidc.corp", "barbara@corp.example" },
}

--- Everybody's journey, shown in one way.
local function run(name)
  local show <const> = ways[name]
  if not show then
    assert(name == "browser", "write form, browser or function")
    return print "browser    left out: this luath drives no browser"
  end
  -- An emulator of its own begins empty; one that others use too may not.
  emulator.clear()
  for _, one in ipairs(people) do
    local providerID <const>, email <const> = one[1], one[2]
    seen = ""
    local user, err <const> = luath.try(journey, show, providerID, email)
    if not user and err.code == Auth.ErrorCode.webBrowserUnavailable then
      return print "browser    left out: no browser is installed here"
    elseif not user then
      error(err)
    end
    print(("%-10s %-14s %s%s"):format(name, providerID, user.displayName, seen))
    assert(user.email == email, "another person than asked for")
    assert(user.providerData[1].providerID == providerID, "signed in with another provider")
    auth:signOut()
  end
end

for _, name in ipairs(arg[1] and { arg[1] } or { "form", "browser", "function" }) do
  run(name)
end
