local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, form = flows.provider, flows.form


describe("the page of a sign-in", function()
  it("a sign-in that takes longer than its timeout is given up", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local err = refused("webContextTimedOut", one.getCredential, one,
      form("ada@contoso.example", { timeout = 0.000001 }))
    equal(err.details.reason, "timedOut")
    assert(one:getCredential(form("ada@contoso.example", { timeout = 86400 })))
  end)

  it("a kept session is known again, and no other delegate has it", function()
    local one = provider("google.com", "ada@contoso.example")
    local silent = provider("google.com", "ada@contoso.example", { prompt = "none" })
    local kept = form("ada@contoso.example", { keepsSession = true })
    assert(one:getCredential(kept))
    assert(auth:signIn(silent:getCredential(kept)).user.uid)
    local err = refused("webSignInUserInteractionFailure", silent.getCredential, silent,
      form "ada@contoso.example")
    equal(err.serverName, "login_required")
  end)

  it("pages speak the delegate's language, else that of the Auth", function()
    local wrong = { password = "not-the-password" }
    local function title(answers)
      local one = Auth.OAuthProvider("microsoft.com", auth)
      local err = refused("webCredentialsRefused", one.getCredential, one, form("ada@contoso.example", answers))
      return err.details.title
    end
    local english = title(wrong)
    auth.languageCode = "fr"
    local french = title(wrong)
    assert(french ~= english, english)
    equal(title { password = wrong.password, language = "en" }, english)
    auth.languageCode = nil
    equal(title { password = wrong.password, language = "fr" }, french)
  end)

  it("the page speaks the language of the Auth, unless the script says another", function()
    local function parameters(id, own)
      local one, seen = provider(id, "ada@contoso.example", own), nil
      pcall(one.getCredential, one, function(page)
        assert(page.language == auth.languageCode)
        seen = http.parseForm(page.url)
      end)
      return assert(seen)
    end
    equal(parameters("oidc.corp").ui_locales, nil)
    auth.languageCode = "fr"
    equal(parameters("oidc.corp").ui_locales, "fr")
    equal(parameters("google.com").hl, "fr")
    equal(parameters("yahoo.com").language, "fr")
    equal(parameters("oidc.corp", { ui_locales = "ja" }).ui_locales, "ja")
    -- Microsoft documents none, and the browser's own language is asked for there.
    for name in pairs(parameters "microsoft.com") do
      assert(not ({ ui_locales = 1, hl = 1, mkt = 1, lang = 1, locale = 1 })[name], name)
    end
    local one = provider("oidc.corp", "barbara@corp.example")
    local title
    pcall(one.getCredential, one, function(page)
      local start = http.get(page.url)
      local cookie = start.headers["set-cookie"]:match "^[^;]+"
      local login = http.get(emulator.origin .. start.headers.location, { headers = { Cookie = cookie } })
      title = login.body:match 'html lang="(%a+)"'
    end)
    equal(title, "fr")
  end)

  it("a page may come back to any address of this machine", function()
    for _, address in ipairs { "http://127.0.0.1:4711/cb", "http://localhost:4712/", "http://[::1]:4713/cb" } do
      local answer = http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:createAuthUri?key=k",
        { json = { providerId = "oidc.corp", continueUri = address } }):json()
      local ended = ui.show(form "barbara@corp.example", answer.authUri, address)
      equal(ended:sub(1, #address), address)
      local result = http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=k",
        { json = { requestUri = ended, sessionId = answer.sessionId, returnSecureToken = true } }):json()
      equal(result.email, "barbara@corp.example")
    end
  end)
end)
