--- What a page's evidence is looked at with: a journey that fails at a page.
local emulator <const> = require "luath.emulator"
local journey <const> = require "luath.journey"
local webdriver <const> = require "luath.webdriver"

--- Opens the login page of Google, as the app does.
local function begin(page)
  local operation <const> = "/identitytoolkit.googleapis.com/v1/accounts:createAuthUri?key=any"
  local answer <const> = require("luath.http").post(emulator.origin .. operation, {
    json = { providerId = "google.com", continueUri = emulator.origin .. "/__/auth/handler" },
  }):json()
  page:go(answer.authUri)
end

journey("the consent is refused", { tags = { "browser" } }, function(j)
  local page <const> = webdriver.open { windowSize = { 600, 660 } }
  j:attach("basket", "tea,2\ncake,1\n", "text/csv")
  page:go(emulator.origin .. "/nowhere")
  j:step("Ada signs in at Google", function()
    begin(page)
    page:fill({ label = "E-mail address" }, "ada@contoso.example")
    page:fill({ label = "Password" }, "luath-demo")
    page:click { role = "button", name = "Sign in", exact = true }
  end)
  page:eval [[
    console.warn("the consent takes long");
    setTimeout(() => { throw new Error("no consent") });
  ]]
  j:step("she refuses the consent", function()
    page:click({ role = "button", name = "Refuse" }, { timeout = 0.2 })
  end)
end)
