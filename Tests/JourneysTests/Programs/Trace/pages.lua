local Auth, ui = require "luath.auth", require "luath.ui"
local journey, expect = require "luath.journey", require "luath.expect"
local emulator, webdriver = require "luath.emulator", require "luath.webdriver"

local function open()
  local page = webdriver.open()
  page:go(emulator.origin .. "/?password=hunter2-pass")
  page:eval "document.body.innerHTML = '<h1>A page</h1>'; document.title = 'Its title'"
  return page
end

journey("fails with a page", function(j)
  local page = open()
  j:defer(function() page:close() end)
  page:eval "console.error('it is hunter2-pass')"
  j:step("looks", function()
    expect.soft.equal(page:text "h1", "Another page")
  end)
  page:click({ text = "nothing like that" }, { timeout = 0.1 })
end)

journey("passes with a page", function(j)
  local page = open()
  j:step("shows", function() page:eval "document.title = 'Step'" end)
  j:attach("asked for", page)
  local provider = Auth.OAuthProvider "google.com"
  expect.raises("webCredentialsRefused", function()
    provider:getCredential(ui.form { username = "nobody@luath.example", password = "hunter2-pass" })
  end)
end)

journey("fails at a provider", function()
  Auth.OAuthProvider "google.com":getCredential(
    ui.webdriver { username = "ada@contoso.example", password = "hunter2-wrong" })
end)

journey("fails at a form", function()
  Auth.OAuthProvider "google.com":getCredential(
    ui.form { username = "ada@contoso.example", password = "hunter2-wrong" })
end)

journey("fails with a page of a scope", function()
  local page <close> = open()
  page:click({ text = "nothing like that" }, { timeout = 0.1 })
end)

journey.group("a shop", function()
  local shop
  journey.beforeAll(function()
    shop = webdriver.open()
    shop:go "data:text/html,<title>Shop</title>a shop"
  end)
  journey("fails in the shop", function()
    local other <const> = webdriver.open()
    other:go "data:text/html,<title>Other</title>another page"
    error("in the shop of " .. shop:title())
  end)
end)

journey("fails without a page", function(j)
  local page = webdriver.open()
  page:close()
  local _, err = pcall(j.attach, j, "closed", page)
  error(err.message .. ": " .. err.hint)
end)

journey("fails on a large page", function()
  local page = webdriver.open()
  page:go(emulator.origin .. "/")
  page:eval "document.body.innerHTML = '<p>x'.repeat(61000); document.title = 'Large'"
  error "the end"
end)

journey("fails in its end", function(j)
  local page = open()
  j:defer(function() error "the end" end)
  page:title()
end)
