local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"
local task = require "luath.task"
local ui = require "luath.ui"
local auth = Auth.auth()
local google = Auth.OAuthProvider "google.com"

--- A delegate shows the page of `provider:getCredential`, `auth:signIn` and others. Without one, the
--- test user of `login_hint` signs in to the pages of an emulated project, and a real project opens
--- the user's browser. A Lua function is a delegate too: it gets a table with
--- `url`, `providerID`, `redirectURI`, `loginHint` and `language`, and returns the final address.

--- What a delegate receives.
---@class SignInRequest
---@field url string the address of the page
---@field providerID string the id of the provider
---@field redirectURI string the address where the sign-in ends
---@field loginHint? string the user name to fill in
---@field language? string the language of the page

---@param answers _ the values that the user enters, and the consent
---@param answers.password _ what the password field is given
---@return UIDelegate delegate
---@error webCredentialsRefused in the sign-in, when name or password are wrong
---@error webConsentDenied in the sign-in, with `consent = false`
---@error webDenialIgnored in the sign-in, when the provider takes a denial for consent
---@error webPageDespitePromptNone in the sign-in, when a page shows in spite of `prompt=none`
---@error webPageUnusable in the sign-in, when a page has no form that it can fill or deny
function ui.form()
  local ada = ui.form { username = "ada@contoso.example", password = "luath-demo" }
  print(auth:signIn(google, ada).user.email)
end

---@return UIDelegate delegate
function ui.record()
  local file = os.tmpname()
  local ada = ui.form { username = "ada@contoso.example", password = "luath-demo" }
  auth:signIn(google, ui.record(ada, file))
  print(io.open(file):read("a"):find("luath-demo", 1, true))
  os.remove(file)
end

---@param answers _ the recording, and the values that the user enters
---@param answers.password _ what the password field is given
---@return UIDelegate delegate
---@error webPageUnusable in the sign-in, when the answers lead where the recording does not
function ui.recorded()
  local file = os.tmpname()
  local answers = { username = "ada@contoso.example", password = "luath-demo" }
  auth:signIn(google, ui.record(ui.form(answers), file))
  answers.file = file
  print(auth:signIn(google, ui.recorded(answers)).user.email)
  os.remove(file)
end

---@param options _ which provider, and how the code is shown
---@param options.clientSecret _ the project's secret at the provider, if it has one
---@param options.prompt fun(info: { userCode: string, verificationURI: string, verificationURIComplete: string?, expiresIn: integer, interval: number })
---@return UIDelegate delegate
---@error webConsentDenied in the sign-in, when the person refused
---@error webContextTimedOut in the sign-in, when the person took too long
function ui.device()
  local device = ui.device {
    issuer = emulator.origin .. "/oidc/corp", clientID = "luath-client-oidc.corp",
    clientSecret = "luath-secret-oidc.corp",
    prompt = function(info)
      task.spawn(function()
        local person = ui.form {
          username = "barbara@corp.example", password = "luath-demo",
          fields = { user_code = info.userCode },
        }
        ui.show(person, info.verificationURI, info.verificationURI .. "/done")
      end)
    end,
  }
  print(auth:signIn(Auth.OAuthProvider("oidc.corp"):getCredential(device)).user.email)
end

---@param options.open fun(url: string): boolean? opens the address; false asks the person to paste
---@return UIDelegate delegate
---@error webContextTimedOut in the sign-in, when the person took too long
---@error webRedirectUnavailable in the sign-in, when the address cannot be listened at
function ui.browser()
  local browser = ui.browser {
    timeout = 30,
    open = function(url)
      task.spawn(function()
        local back = http.parseForm(url).redirect_uri
        local ada = ui.form { username = "ada@contoso.example", password = "luath-demo" }
        http.get(ui.show(ada, url, back))
      end)
    end,
  }
  print(auth:signIn(Auth.OAuthProvider "microsoft.com", browser).user.email)
end

---@return UIDelegate delegate
---@error webContextTimedOut in the sign-in, when the person took too long
---@error webContextCancelled in the sign-in, when nothing was pasted
function ui.paste()
  local made, paste = pcall(ui.paste, { timeout = 60, qr = false })
  print(made and tostring(paste) or "there is no terminal")
end

---@param delegate _ one of this module, or a function
---@return string finalURL
---@error webStateMismatch when the page ended elsewhere
---@error webPageUnusable when the delegate shows no pages
function ui.show()
  local client = require("luath.oidc").client {
    issuer = emulator.origin .. "/oidc/implicit", clientID = "luath-client-oidc.implicit",
    redirectURI = "http://127.0.0.1:8910/callback",
  }
  local flow = client:begin()
  local barbara = ui.form { username = "barbara@corp.example", password = "luath-demo" }
  local final = ui.show(barbara, flow.url, flow.redirectURI)
  print(http.parseForm(final).state == flow.state)
end

---@param options _ the browser, and the answers or the function that drives the page
---@param options.password _ what the password field is given
---@param options.script fun(page: Page, request: SignInRequest): string? drives the page; it may return the final address
---@return UIDelegate delegate
---@error webBrowserUnavailable in the sign-in, when no browser or no driver is found
---@error webContextTimedOut in the sign-in, when it takes too long
---@error webConsentDenied in the sign-in, with `consent = false`
---@error webDenialIgnored in the sign-in, when the provider takes a denial for consent
---@error webPageDespitePromptNone in the sign-in, when a page shows in spite of `prompt=none`
function ui.webdriver()
  local ada = ui.webdriver { username = "ada@contoso.example", password = "luath-demo" }
  print(auth:signIn(google, ada).user.email)
end
