local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"
local task = require "luath.task"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, mistake, refused, provider = flows.equal, flows.mistake, flows.refused, flows.provider

describe("a browser as the delegate", function()
  for _, person in ipairs {
    { "microsoft.com", "ada@contoso.example" }, { "yahoo.com", "yuki@yahoo.example" },
    { "google.com", "ada@contoso.example" }, { "oidc.corp", "barbara@corp.example" },
    { "oidc.implicit", "barbara@corp.example" },
  } do
    local id, email = table.unpack(person)
    it("a person signs in at " .. id .. ", is refused and denies, as with forms", function()
      local one = Auth.OAuthProvider(id)
      one.customParameters = { prompt = "consent" }
      local function browser(answers)
        local all = { username = email, password = flows.password, keepsSession = false }
        for name, value in pairs(answers or {}) do all[name] = value end
        return ui.webdriver(all)
      end
      for _, make in ipairs { flows.form, false } do
        local function with(answers)
          return make and make(email, answers) or browser(answers)
        end
        local result = auth:signIn(one, with())
        equal(result.user.email, email)
        local err = refused("webConsentDenied", one.getCredential, one, with { consent = false })
        equal(err.details.reason, "consentDenied")
        assert(err.details.page and err.details.title and err.details.field, tostring(err))
        local wrong = refused("webCredentialsRefused", one.getCredential, one, with { password = "mistyped-1" })
        assert(not tostring(wrong):find "mistyped%-1", tostring(wrong))
        assert(wrong.details.page, tostring(wrong))
        emulator.clear()
      end
    end)
  end

  it("a function drives the page and may return the address", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local seen
    local result = auth:signIn(one, ui.webdriver { script = function(page, request)
      equal(request.providerID, "microsoft.com")
      assert(request.url and request.redirectURI)
      page:fill("input[type=password]", flows.password)
      page:press "Enter"
      page:click { role = "button", name = "Accept" }
      seen = page
    end })
    equal(result.user.email, "ada@contoso.example")
    refused("pageClosed", seen.title, seen)
    -- Another address than the browser's, such as a forged one, goes through the same checks.
    local function returns(address)
      return ui.webdriver { script = function(page, request) return address(request) end }
    end
    local function forged(request) return request.redirectURI .. "?code=x&state=forged" end
    refused("webStateMismatch", one.getCredential, one, returns(forged))
    refused("webStateMismatch", one.getCredential, one, returns(function() return "https://evil.example/?code=x" end))
    refused("webPageUnusable", one.getCredential, one, ui.webdriver { script = function() return 7 end })
  end)

  it("a function that fails says where, with the right code", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local function script(f, timeout)
      return ui.webdriver { script = f, timeout = timeout }
    end
    local err = refused("webPageUnusable", one.getCredential, one, script(function(page)
      page:click({ role = "button", name = "Nowhere" }, { timeout = 0.2 })
    end))
    equal(err.details.reason, "elementNotFound")
    assert(err.message:find("Nowhere", 1, true) and err.where:find("webdriver_spec.lua:", 1, true), tostring(err))
    err = refused("webSignInUserInteractionFailure", one.getCredential, one, script(function() error "mine" end))
    assert(err.message:find("mine", 1, true), err.message)
    refused("webContextCancelled", one.getCredential, one, script(function(page) page:close() end))
    local function waits(page) page:waitFor { text = "never", timeout = 60 } end
    refused("webContextTimedOut", one.getCredential, one, script(waits, 1))
    -- A busy machine needs longer until the page is there.
    for _, limit in ipairs { 1, 5, 30 } do
      err = refused("webContextTimedOut", one.getCredential, one, script(function() end, limit))
      if err.message:find("browser is at", 1, true) then break end
    end
    assert(err.message:find("browser is at", 1, true), err.message)
    -- The next flow is not hindered.
    assert(auth:signIn(one).user.uid)
  end)

  it("a forged, replayed or other window's answer is refused", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local function at(address)
      return ui.webdriver {
        timeout = 30, script = function(page, request) pcall(page.go, page, address(page, request)) end,
      }
    end
    for _, guess in ipairs { "?code=guessed&state=guessed", "?code=guessed" } do
      local function guessed(_, request) return request.redirectURI .. guess end
      refused("webStateMismatch", one.getCredential, one, at(guessed))
    end
    local first
    one:getCredential(ui.webdriver { script = function(page, request)
      page:fill("input[type=password]", flows.password)
      page:press "Enter"
      page:click { role = "button", name = "Accept" }
      page:waitFor { url = request.redirectURI .. "*" }
      first = page:url()
    end })
    assert(first:find "code=")
    refused("webStateMismatch", one.getCredential, one, at(function() return first end))
    -- What another window shows is not looked at: it is this one that must come back.
    refused("webContextTimedOut", one.getCredential, one, ui.webdriver { timeout = 2, script = function(page, request)
      local state = http.parseForm(request.url).state
      page:eval("window.open(arguments[0])", request.redirectURI .. "?code=x&state=" .. state)
    end })
  end)

  it("sessions are kept when asked, and one Auth shows one page at a time", function()
    local one = Auth.OAuthProvider "microsoft.com"
    local kept = ui.webdriver { username = "ada@contoso.example", password = flows.password, keepsSession = true }
    auth:signIn(one, kept)
    local asked = false
    -- The provider remembers the person, so nothing is asked for any more.
    local again = ui.webdriver { username = "ada@contoso.example", keepsSession = true }
    refused("webPageUnusable", one.getCredential, one, again)
    assert(one:getCredential(kept))
    local waiting = task.spawn(function() return one:getCredential(kept) end)
    task.sleep(0)
    refused("webContextAlreadyPresented", one.getCredential, one, kept)
    assert(waiting:await())
    -- A cancelled sign-in leaves the next one alone.
    local shown
    local cancelled = task.spawn(function()
      return one:getCredential(ui.webdriver { script = function(page)
        shown = true
        page:waitFor { text = "never", timeout = 600 }
      end })
    end)
    while not shown do task.sleep(0.01) end
    cancelled:cancel()
    local ok, err = pcall(cancelled.await, cancelled)
    equal(err.code, "cancelled")
    assert(auth:signIn(one).user.uid)
  end)

  it("what is missing is said at once", function()
    mistake("username", ui.webdriver, {})
    mistake("windowSize", ui.webdriver, { username = "a", windowSize = { 1 } })
    mistake("driver", ui.webdriver, { username = "a", driver = "nowhere" })
    mistake("redirectURI", ui.webdriver, { username = "a", redirectURI = "https://far.example/" })
    mistake("more than 0", ui.webdriver, { username = "a", timeout = -1 })
    local one = provider("microsoft.com", "ada@contoso.example")
    local err = refused("webBrowserUnavailable", one.getCredential, one,
      ui.webdriver { username = "a", browser = "/no/such/browser" })
    assert(err.hint:find("install", 1, true) or err.hint:find("browser", 1, true), err.hint)
    refused("webBrowserUnavailable", one.getCredential, one,
      ui.webdriver { username = "a", driver = "http://127.0.0.1:1" })
  end)
end)
