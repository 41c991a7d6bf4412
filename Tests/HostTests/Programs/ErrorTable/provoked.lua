-- What the client finds by itself or reads out of a response: how to provoke each.
local errors = require "support.errors"

local function ada(id)
  local made = Auth.OAuthProvider(id, auth)
  made.customParameters = { login_hint = "ada@contoso.example" }
  return made
end

local function password()
  return auth:createUser("ada@contoso.example", "correct horse").user
end

local function page(delegate)
  ada("google.com"):getCredential(delegate)
end

local function handler(code)
  page(function(p)
    local refusal = json.encode { code = code, message = "words" }
    return p.redirectURI .. "?" .. http.form { firebaseError = refusal }
  end)
end

local function show(path, answers)
  ui.show(ui.form(answers), given.issuer .. path, "http://localhost/end")
end

local ways = {
  networkError = function()
    emulator.setFaults { { operation = "signUp", drop = true } }
    auth:signInAnonymously()
  end,
  accountExistsWithDifferentCredential = function()
    password()
    auth:signIn(ada "microsoft.com")
  end,
  providerAlreadyLinked = function()
    auth:signIn(ada "google.com").user:link(ada "google.com")
  end,
  noSuchProvider = function()
    auth:signInAnonymously().user:unlink "google.com"
  end,
  userMismatch = function()
    local yuki = provider("yahoo.com", "yuki@yahoo.example")
    auth:signIn(ada "google.com").user:reauthenticate(yuki)
  end,
  secondFactorRequired = function()
    flows.change(password().uid, {
      emailVerified = true,
      mfa = { enrollments = { { mfaEnrollmentId = "E1", phoneInfo = "+15555550100" } } },
    })
    auth:signInWithEmail("ada@contoso.example", "correct horse")
  end,
  missingEmail = function()
    auth:signInWithEmail("", "correct horse")
  end,
  wrongPassword = function()
    auth:signInWithEmail("ada@contoso.example", "")
  end,
  weakPassword = function()
    auth:createUser("ada@contoso.example", "")
  end,
  webContextAlreadyPresented = function()
    local google = ada "google.com"
    local function show() google:getCredential() end
    task.all { show, show }
  end,
  webContextCancelled = function()
    page(function() end)
  end,
  webPageUnusable = function()
    page(function() return 7 end)
  end,
  webStateMismatch = function()
    page(function(p) return p.redirectURI .. "?code=c&state=guessed" end)
  end,
  webContextTimedOut = function()
    show("/circle", { username = "x" })
  end,
  webConsentDenied = function()
    page(function(p)
      return p.redirectURI .. "?error=access_denied&state=" .. http.parseForm(p.url).state
    end)
  end,
  webCredentialsRefused = function()
    page(ui.form { username = "ada@contoso.example", password = "mistyped" })
  end,
  webPageUnsafe = function()
    show("/leak", { username = "x", password = "y" })
  end,
  webNetworkRequestFailed = function()
    handler "auth/network-request-failed"
  end,
  webInternalError = function()
    handler "auth/internal-error"
  end,
  invalidClientID = function()
    handler "auth/invalid-oauth-client-id"
  end,
  webSignInUserInteractionFailure = function()
    handler "auth/user-cancelled"
  end,
  invalidCustomParameter = function()
    Auth.OAuthProvider("yahoo.com").customParameters = { state = "x" }
  end,
  invalidProviderID = function()
    Auth.OAuthProvider "yahoo"
  end,
  nullUser = function()
    auth:updateCurrentUser(nil)
  end,
  keychainError = function()
    auth:signInAnonymously()
    auth:save "/no/such/folder/session"
  end,
}

for _, row in ipairs(given.rows) do
  local code, number, name, web = table.unpack(row)
  emulator.setFaults {}
  emulator.clear()
  auth = Auth.session()
  local call = assert(ways[code], code)
  ways[code] = nil
  errors.whole(refused(code, call), number, name, web)
end
assert(next(ways) == nil, next(ways))
