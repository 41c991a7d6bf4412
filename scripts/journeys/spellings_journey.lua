--- The spellings of Firebase's older guides do what the new ones do.
local Auth <const> = require "luath.auth"
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey.configure { tags = { "spellings" }, parallel = true }

local EMAIL <const> = "ada@contoso.example"

local function google()
  local made <const> = Auth.OAuthProvider "google.com"
  made.customParameters = { login_hint = EMAIL }
  return made
end

journey("{method} signs in with a credential", {
  each = {
    { method = "signIn" }, { method = "signInWithCredential" },
    { method = "signInAndRetrieveData" }, { method = "signInAndRetrieveDataWithCredential" },
  },
}, function(_, row)
  local auth <const> = Auth.session()
  local result <const> = auth[row.method](auth, google():getCredential())
  expect.equal(result.user.email, EMAIL)
end)

journey("{method} shows the page itself", {
  each = { { method = "signInWithPopup" }, { method = "signInWithRedirect" } },
}, function(_, row)
  local auth <const> = Auth.session()
  expect.equal(auth[row.method](auth, google()).user.email, EMAIL)
end)

journey("{method} returns a credential", {
  each = { { method = "getCredentialWith" }, { method = "credentialWithUIDelegate" } },
}, function(_, row)
  local provider <const> = google()
  expect.equal(provider[row.method](provider).providerID, "google.com")
end)

journey("{method} links", {
  each = {
    { method = "link" }, { method = "linkWithCredential" }, { method = "linkAndRetrieveData" },
    { method = "linkWithPopup" }, { method = "linkWithRedirect" },
  },
}, function(_, row)
  local auth <const> = Auth.session()
  local user <const> = auth:createUser(EMAIL, "correct horse").user
  user[row.method](user, google())
  expect.equal(#user.providerData, 2)
end)

journey("{method} reauthenticates", {
  each = {
    { method = "reauthenticate" }, { method = "reauthenticateWithCredential" },
    { method = "reauthenticateWithPopup" }, { method = "reauthenticateWithRedirect" },
  },
}, function(_, row)
  local auth <const> = Auth.session()
  local user <const> = auth:signIn(google()).user
  expect.equal(user[row.method](user, google()).user.uid, user.uid)
end)

journey("fetchProvidersForEmail is fetchProviders", function()
  local auth <const> = Auth.session()
  expect.equal(#auth:fetchProvidersForEmail(EMAIL), #auth:fetchProviders(EMAIL))
end)
