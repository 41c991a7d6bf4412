local browser = require "support.browser"
local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"
local task = require "luath.task"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, form = flows.provider, flows.form
local beside, page, person = browser.beside, browser.page, browser.person
local redirect, state = browser.redirect, browser.state

local one = provider("microsoft.com", "ada@contoso.example", { prompt = "consent" })


describe("ui.browser", function()
  describe("a person signs in with their own browser", function()
    for _, redirectURI in ipairs {
      "nothing", "http://127.0.0.1", "http://localhost/back/here?from=luath", "http://localhost/",
    } do
      it("redirectURI = " .. redirectURI, function()
        local way = ui.browser {
          redirectURI = redirectURI ~= "nothing" and redirectURI or nil, open = person "ada@contoso.example",
        }
        for _ = 1, 2 do
          equal(auth:signIn(one, way).user.email, "ada@contoso.example")
          local shown = page()
          equal(shown.status, 200)
          assert(shown.body:find("Sign-in handed over", 1, true), shown.body)
          assert(not pcall(http.get, shown.url), "the port is still open")
        end
      end)
    end
  end)

  describe("other providers come back too", function()
    for _, row in ipairs {
      { "oidc.corp", "barbara@corp.example" }, { "yahoo.com", "yuki@yahoo.example" },
      { "google.com", "ada@contoso.example" },
    } do
      local id, email = table.unpack(row)
      it(id, function()
        local result = auth:signIn(provider(id, email), ui.browser { open = person(email) })
        equal(result.user.email, email)
      end)
    end
  end)

  it("a fragment and a posted body are answers too", function()
    local two = provider("oidc.implicit", "barbara@corp.example")
    local implicit = beside(function(url)
      local back = redirect(url)
      local final = ui.show(form "barbara@corp.example", url, back)
      local fragment = final:match "#.*"
      assert(fragment, final)
      assert(http.get(back).body:find("location.hash", 1, true))
      return http.post(back .. "/fragment", { form = { address = fragment } })
    end)
    equal(auth:signIn(two, ui.browser { open = implicit }).user.email, "barbara@corp.example")
    equal(page().status, 200)
    local posted = beside(function(url)
      local final = ui.show(form "ada@contoso.example", url, redirect(url))
      return http.post(redirect(url), { form = http.parseForm(final) })
    end)
    equal(auth:signIn(one, ui.browser { open = posted }).user.email, "ada@contoso.example")
    equal(page().status, 200)
  end)

  it("a person who denies is told apart, and so is a provider that fails", function()
    local denying = ui.browser { open = beside(function(url)
      return http.get(redirect(url) .. "?error=access_denied&state=" .. state(url))
    end) }
    refused("webConsentDenied", one.getCredential, one, denying)
    local shown = page()
    assert(shown.status == 200 and shown.body:find("Sign-in refused", 1, true), shown.body)
    local failing = ui.browser { open = function(url)
      http.get(redirect(url) .. "?error=server_error&error_description=%1B%5B31mtired&state=" .. state(url))
    end }
    local err = refused("webSignInUserInteractionFailure", one.getCredential, one, failing)
    equal(err.serverName, "server_error")
    assert(not err.message:find "\27", err.message)
    assert(auth:signIn(one, ui.browser { open = person "ada@contoso.example" }).user.uid)
  end)

  it("a forged answer ends the sign-in at once", function()
    local count = flows.requests("signInWithIdp", function()
      for _, query in ipairs {
        "code=stolen&state=forged", "code=stolen", "state=forged", "error=access_denied&state=forged",
        "code=a&code=b&state=STATE", "code=a&state=STATE&state=b",
      } do
        local forging = ui.browser { open = function(url)
          beside(function()
            return http.get(redirect(url) .. "?" .. query:gsub("STATE", state(url)))
          end)(url)
          task.sleep(1000)
        end }
        local err = refused("webStateMismatch", one.getCredential, one, forging)
        equal(err.rawValue, 18101)
        assert(not tostring(err):find("stolen", 1, true) and not tostring(err):find("forged", 1, true))
        local shown = page()
        equal(shown.status, 400)
        assert(not shown.body:find("forged", 1, true))
      end
    end)
    equal(count, 0, "refused before the backend is asked: the number of requests")
  end)

  it("an answer is taken once, and no other sign-in takes it", function()
    local final
    local first = ui.browser { redirectURI = "http://127.0.0.1", open = beside(function(url)
      final = ui.show(form "ada@contoso.example", url, redirect(url))
      return http.get(final)
    end) }
    local credential = one:getCredential(first)
    equal(page().status, 200)
    local port = final:match ":(%d+)/"
    -- The address of the first sign-in, in the tab of the second.
    local other = ui.browser { redirectURI = "http://127.0.0.1:" .. port, open = beside(function(url)
      equal(redirect(url), final:match "[^?]+")
      return http.get(final)
    end) }
    refused("webStateMismatch", one.getCredential, one, other)
    equal(page().status, 400)
    assert(auth:signIn(credential).user.uid)
    refused("invalidCredential", auth.signIn, auth, credential)
    -- A code that was used, in a sign-in whose state is right.
    local replaying = ui.browser { open = function(url)
      http.get(redirect(url) .. "?" .. http.form { code = http.parseForm(final).code, state = state(url) })
    end }
    local replayed = one:getCredential(replaying)
    equal(refused("invalidCredential", auth.signIn, auth, replayed).serverName, "INVALID_IDP_RESPONSE")
  end)

  it("a port that is taken is told", function()
    local port = emulator.origin:match ":(%d+)$"
    local err = refused("webRedirectUnavailable", one.getCredential, one,
      ui.browser { redirectURI = "http://127.0.0.1:" .. port, open = person "x" })
    equal(err.rawValue, 18148)
    assert(err.message:find(port, 1, true), err.message)
    refused("webRedirectUnavailable", one.getCredential, one,
      ui.browser { redirectURI = "http://localhost:" .. port, open = person "x" })
  end)

  it("a domain that is not authorized is named", function()
    flows.configure("authorizedDomains", { authorizedDomains = { "app.example" } })
    local err = refused("unauthorizedDomain", one.getCredential, one, ui.browser { open = person "x" })
    assert(err.hint:find("localhost", 1, true), err.hint)
  end)

  it("a browser that does not come back is left when the time is over", function()
    local address
    local lost = ui.browser { timeout = 1, open = function(url)
      address = redirect(url)
      task.sleep(1000)
    end }
    local err = refused("webContextTimedOut", one.getCredential, one, lost)
    assert(err.hint:find(address, 1, true), err.hint)
    assert(not pcall(http.get, address))
    -- Nor by whoever cancels it.
    local waiting = task.spawn(function() return one:getCredential(ui.browser { open = function(url)
      address = redirect(url)
    end }) end)
    address = nil
    while not address do task.sleep(0) end
    refused("webContextAlreadyPresented", one.getCredential, one, ui.browser { open = person "x" })
    waiting:cancel()
    local ok, err = pcall(waiting.await, waiting)
    equal(ok, false)
    equal(err.code, "cancelled")
    assert(not pcall(http.get, address))
    assert(auth:signIn(one, ui.browser { open = person "ada@contoso.example" }).user.uid)
  end)

  it("a function that fails ends the sign-in, and options are checked", function()
    local err = refused("webSignInUserInteractionFailure", one.getCredential, one, ui.browser {
      open = function() error "the window broke" end,
    })
    assert(err.message:find("the window broke", 1, true), err.message)
    mistake("localhost, 127.0.0.1", ui.browser, { redirectURI = "http://example.com/" })
    mistake("not http", ui.browser, { redirectURI = "https://localhost/" })
    mistake("expected", ui.browser, { redirectURI = "localhost" })
    mistake("fragment", ui.browser, { redirectURI = "http://localhost/#x" })
    mistake("timeout", ui.browser, { timeout = 0 })
    mistake("timeout", ui.browser, { timeout = 1e9 })
    mistake("bad argument", ui.browser, { open = "firefox" })
    mistake("bad argument", ui.browser, { opener = print })
  end)

  it("a flow of one's own comes back to its own address", function()
    local bare = beside(function(url) return http.get(redirect(url) .. "?code=c&state=s") end)
    local address = "http://127.0.0.1:9/authorize?" .. http.form { state = "s", redirect_uri = "REDIRECT" }
    local free
    refused("webContextTimedOut", one.getCredential, one, ui.browser {
      timeout = 1, open = function(url) free = redirect(url) end,
    })
    free = free:gsub("localhost", "127.0.0.1")
    local url = address:gsub("REDIRECT", (free:gsub("%%", "%%%%")))
    equal(ui.show(ui.browser { open = bare }, url, free), free .. "?code=c&state=s")
    refused("webPageUnusable", ui.show, ui.browser { open = bare }, url, "https://app.example/callback")
    refused("webPageUnusable", ui.show, ui.browser { open = bare }, url, "http://127.0.0.1/callback")
  end)
end)
