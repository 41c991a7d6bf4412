local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"
local task = require "luath.task"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, form = flows.provider, flows.form


describe("delegates", function()
  -- S7 S8
  it("a page is shown by a form, a function or the default way", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    for _, delegate in ipairs { false, form "ada@contoso.example", function(page)
      return ui.show(form "ada@contoso.example", page.url, page.redirectURI)
    end } do
      local result = auth:signIn(one:getCredential(delegate or nil))
      equal(result.user.email, "ada@contoso.example")
    end
    -- Without a hint, the default way is the first of the people the provider knows.
    emulator.clear()
    equal(auth:signIn(Auth.OAuthProvider "oidc.corp").user.email, "ada@contoso.example")
    emulator.clear()
    equal(auth:signIn(one, form "ada@contoso.example").user.email, "ada@contoso.example")
    local stranger = provider("microsoft.com", "nobody@contoso.example")
    refused("webPageUnusable", stranger.getCredential, stranger)
    mistake("no delegate", auth.signIn, auth, Auth.EmailAuthProvider.credential("a@b.example", "x"), form "a")
    mistake("bad argument", one.getCredential, one, "form")
    mistake("bad argument", one.getCredential, one, 7)
    -- `{ UIDelegate = nil }` is an empty table.
    equal(one:getCredential({}).providerID, "microsoft.com")
  end)

  -- S7 S8
  it("a function that shows a page may wait and ask", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local result = auth:signIn(one, function(page)
      task.sleep(0.01)
      assert(http.get(emulator.origin .. "/emulator/v1/clock").ok)
      local other = Auth.session():signIn(provider("google.com", "grace@fabrikam.example"))
      assert(other.user.uid)
      return ui.show(form "ada@contoso.example", page.url, page.redirectURI)
    end)
    equal(result.user.email, "ada@contoso.example")
  end)

  -- S7 S8 S26
  it("a function that shows no page is told what is missing", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    for _, nothing in ipairs { function() end, function() return nil end, function() return false end } do
      local err = refused("webContextCancelled", one.getCredential, one, nothing)
      equal(err.rawValue, 17058)
    end
    for _, strange in ipairs { function() return 7 end, function() return {} end } do
      local err = refused("webPageUnusable", one.getCredential, one, strange)
      assert(err.message:find("returned a", 1, true), err.message)
    end
    local err = refused("webSignInUserInteractionFailure", one.getCredential, one, function()
      error "the window broke"
    end)
    assert(err.message:find("the window broke", 1, true), err.message)
    assert(err.where:find("delegate_spec.lua:", 1, true), tostring(err))
    local err = refused("webSignInUserInteractionFailure", one.getCredential, one, function()
      error { message = "mine", hint = "look again" }
    end)
    assert(err.message:find("mine", 1, true) and err.hint == "look again")
    refused("webSignInUserInteractionFailure", one.getCredential, one, function() local x = nil; return x.y end)
    refused("webSignInUserInteractionFailure", one.getCredential, one, function() error(nil) end)
    -- The next flow is not hindered.
    assert(auth:signIn(one).user.uid)
  end)

  -- S8 S26
  it("an address that is not this sign-in's is a mismatch", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local addresses = {
      function(page) return page.redirectURI .. "?code=guessed&state=guessed" end,
      function(page) return page.redirectURI .. "?code=guessed" end,
      function(page) return page.redirectURI end,
      function(page) return page.redirectURI .. "?state=" .. http.parseForm(page.url).state end,
      function(page) return "https://evil.example/?code=x&state=" .. http.parseForm(page.url).state end,
      function(page) return page.url end,
      function() return "not an address" end,
      function() return "" end,
      function() return "file:///etc/passwd" end,
    }
    local count = flows.requests("signInWithIdp", function()
      for index, address in ipairs(addresses) do
        local err = refused("webStateMismatch", one.getCredential, one, address)
        equal(err.rawValue, 18101, "the number of address " .. index)
        assert(not tostring(err):find("guessed", 1, true), tostring(err))
      end
      -- A good way back, of another sign-in.
      local first
      one:getCredential(function(page)
        first = ui.show(form "ada@contoso.example", page.url, page.redirectURI)
        return first
      end)
      refused("webStateMismatch", one.getCredential, one, function() return first end)
    end)
    equal(count, 0, "refused before the backend is asked: the number of requests")
  end)

  -- S8 S26
  it("a code that nobody gave out is refused by the backend", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local credential = one:getCredential(function(page)
      return page.redirectURI .. "?" .. http.form { code = "guessed-code", state = http.parseForm(page.url).state }
    end)
    local err = refused("invalidCredential", auth.signIn, auth, credential)
    equal(err.serverName, "INVALID_IDP_RESPONSE")
    assert(not tostring(err):find("guessed%-code"))
  end)

  -- S8 S26
  describe("a person may deny, mistype or be unknown", function()
    for _, row in ipairs {
      { "microsoft.com", "ada@contoso.example" }, { "yahoo.com", "yuki@yahoo.example" },
      { "google.com", "ada@contoso.example" }, { "oidc.corp", "barbara@corp.example" },
      { "oidc.implicit", "barbara@corp.example" },
    } do
      local id, email = table.unpack(row)
      it("at " .. id, function()
        local one = provider(id, email, { prompt = "consent" })
        local err = refused("webConsentDenied", one.getCredential, one, form(email, { consent = false }))
        equal(err.rawValue, 18140)
        equal(err.details.reason, "consentDenied")
        local said = refused("webConsentDenied", one.getCredential, one, function(page)
          local state = http.parseForm(page.url).state
          return page.redirectURI .. "?" .. http.form { error = "access_denied", state = state }
        end)
        equal(said.serverName, "access_denied")
        equal(said.details.error, "access_denied")
        local mistyped = form(email, { password = "mistyped-1" })
        local wrong = refused("webCredentialsRefused", one.getCredential, one, mistyped)
        assert(not tostring(wrong):find "mistyped%-1", tostring(wrong))
        refused("webCredentialsRefused", one.getCredential, one, form "nobody@nowhere.example")
        equal(auth.currentUser, nil)
        assert(auth:signIn(one).user.uid)
      end)
    end
  end)

  -- S8 S26
  it("a person is asked only once for the same permissions", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    one:getCredential()
    -- Agreed before, so denying is not offered.
    assert(one:getCredential(form("ada@contoso.example", { consent = false })))
    one.scopes = { "mail.read" }
    refused("webConsentDenied", one.getCredential, one, form("ada@contoso.example", { consent = false }))
    one.customParameters = { prompt = "none" }
    equal(refused("webSignInUserInteractionFailure", one.getCredential, one).serverName, "login_required")
  end)

  -- S7 S8 S26
  it("a function that never ends is ended by a timeout, and the next flow goes on", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local started
    -- A busy machine needs longer until it shows the page.
    for _, limit in ipairs { 0.1, 1, 10 } do
      local ok, err = pcall(task.timeout, limit, function()
        one:getCredential(function() started = true while true do task.sleep(0.01) end end)
      end)
      assert(not ok and err.code == "timeout", tostring(err))
      if started then break end
    end
    assert(started)
    assert(auth:signIn(one).user.uid)
  end)

  -- S8 S26
  it("one Auth shows one page at a time", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local isRefused
    local waiting = task.spawn(function()
      return one:getCredential(function(page)
        while not isRefused do task.sleep(0) end
        return ui.show(form "ada@contoso.example", page.url, page.redirectURI)
      end)
    end)
    task.sleep(0)
    local err = refused("webContextAlreadyPresented", one.getCredential, one)
    equal(err.rawValue, 17057)
    isRefused = true
    -- Another session's page is no matter.
    local other = Auth.session()
    assert(other:signIn(provider("google.com", "grace@fabrikam.example"), form "grace@fabrikam.example").user.uid)
    equal(auth:signIn(waiting:await()).user.email, "ada@contoso.example")
  end)

  -- S13 S14
  it("people of several sessions are shown their pages at the same time", function()
    local people = { "ada@contoso.example", "grace@fabrikam.example", "alan@outlook.example" }
    local jobs = {}
    for index, email in ipairs(people) do
      jobs[index] = function()
        local session = Auth.session()
        local user = session:signInAnonymously().user
        user:link(provider("microsoft.com", email), function(page)
          task.sleep(0.01)
          return ui.show(form(email), page.url, page.redirectURI)
        end)
        user:reauthenticate(provider("microsoft.com", email))
        return user.email
      end
    end
    equal(table.concat(task.all(jobs), " "), table.concat(people, " "))
  end)

  -- S8
  it("the options of ui.form are checked", function()
    mistake("username", ui.form, {})
    mistake("bad argument", ui.form, { username = 7 })
    mistake("bad argument", ui.form, { username = "a", passwort = "b" })
    mistake("bad argument", ui.form, { username = "a", fields = { x = 1 } })
    assert(not tostring(ui.form { username = "a", password = "visible-1" }):find "visible%-1")
  end)
end)
