--- What all providers share: parameters, settings of the project, and who shows the page.
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"
local ui <const> = require "luath.ui"

journey.configure { tags = { "providers" }, parallel = true }

journey("{provider} refuses the parameter {parameter}, which the sign-in sets itself", {
  each = "reserved-parameters.csv", tags = { "parameters" },
}, function(_, row)
  local provider <const> = Auth.OAuthProvider(row.provider)
  local err <const> = expect.raises("invalidCustomParameter", function()
    provider.customParameters = { [row.parameter] = "of my own" }
  end)
  expect.contains(err.message, row.parameter)
end)

journey("Yahoo may be asked for a response mode", { tags = { "parameters" } }, function()
  local yahoo <const> = Auth.OAuthProvider "yahoo.com"
  yahoo.customParameters = { response_mode = "query" }
  expect.equal(yahoo.customParameters.response_mode, "query")
end)

journey("parameters and scopes reach the provider's page", { tags = { "parameters" } }, function(j)
  local ada <const> = j.users:get("ada@contoso.example", { password = "luath-demo" })
  local sent
  ada:signIn("microsoft.com", {
    scopes = { "mail.read" },
    customParameters = { prompt = "login", domain_hint = "contoso.example" },
    delegate = function(page)
      sent = http.parseForm(page.url)
      return ui.show(ada:delegate(), page.url, page.redirectURI)
    end,
  })
  expect.equal(sent.login_hint, "ada@contoso.example")
  expect.equal(sent.prompt, "login")
  expect.equal(sent.domain_hint, "contoso.example")
  expect.contains(sent.scope, "mail.read")
end)

journey("{provider} is refused while the project has it turned off", {
  each = { { provider = "microsoft.com" }, { provider = "yahoo.com" }, { provider = "oidc.corp" } },
}, function(j, row)
  local person <const> = j.users:new()
  emulator.configure { providers = { [row.provider] = false } }
  expect.raises("operationNotAllowed", person.signIn, person, row.provider)
  emulator.configure { providers = { [row.provider] = true } }
  expect.equal(person:signIn(row.provider).user.email, person.email)
end)

journey("a page that {what} is an error of its own", {
  tags = { "delegates" },
  each = {
    { what = "is closed", code = "webContextCancelled" },
    { what = "answers for another sign-in", code = "webStateMismatch" },
    { what = "refuses", code = "webConsentDenied" },
    { what = "gets a wrong password", code = "webCredentialsRefused" },
  },
}, function(j, row)
  local grace <const> = j.users:new { microsoft = { tenant = "fabrikam.example" } }
  local delegates <const> = {
    ["is closed"] = function() end,
    ["answers for another sign-in"] = function(page)
      return page.redirectURI .. "?code=guessed&state=guessed"
    end,
    ["refuses"] = grace:delegate { consent = false },
    ["gets a wrong password"] = ui.form { username = grace.email, password = "a guess" },
  }
  expect.raises(row.code, grace.signIn, grace, "microsoft.com", {
    delegate = delegates[row.what],
  })
  expect.isNil(grace.user)
end)

journey("without a delegate the target shows the page in its own way", function(j)
  local ada <const> = j.users:get "ada@contoso.example"
  local provider <const> = ada:provider "google.com"
  expect.equal(ada.auth:signIn(provider:getCredential()).user.email, ada.email)
end)
