-- Pictures of the pages that the emulator's providers show; Tools/make-pictures runs it.
local emulator <const> = require "luath.emulator"
local http <const> = require "luath.http"
local webdriver <const> = require "luath.webdriver"

local folder <const> = arg[1]
local page <const> = webdriver.open { windowSize = { 600, 660 } }

--- Opens a provider's page, as an app does.
local function begin(provider, parameters)
  local operation <const> = "/identitytoolkit.googleapis.com/v1/accounts:createAuthUri?key=any"
  local answer <const> = http.post(emulator.origin .. operation, {
    json = {
      providerId = provider,
      continueUri = emulator.origin .. "/__/auth/handler",
      customParameter = parameters,
    },
  }):json()
  page:go(answer.authUri)
end

local function picture(name)
  page:screenshot(("%s/%s.png"):format(folder, name))
end

--- Through the pages of a provider that asks for everything on one.
local function logIn(email)
  page:fill({ label = "E-mail address" }, email)
  page:fill({ label = "Password" }, "luath-demo")
  page:click { role = "button", name = "Sign in", exact = true }
end

begin "oidc.corp"
page:find { label = "Password" }
picture "login"
logIn "barbara@corp.example"
page:find { role = "button", name = "Accept" }
picture "consent"

-- The chooser offers whom the browser knows: two people, one after the other.
for _, email in ipairs { "ada@contoso.example", "grace@fabrikam.example" } do
  begin("google.com", { prompt = "login" })
  logIn(email)
  page:click { role = "button", name = "Accept" }
  page:waitFor { url = "*/__/auth/handler*" }
end
begin("google.com", { prompt = "select_account" })
page:find { text = "Use another account" }
picture "chooser"
page:close()
