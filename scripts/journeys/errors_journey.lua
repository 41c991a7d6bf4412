--- The errors: each by its code, with the names other SDKs have for it, and faults on demand.
local Admin <const> = require "luath.admin"
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"
local luath <const> = require "luath"

journey.configure { tags = { "errors" } }

--- How to get each of the errors in errors.json.
local PROVOKE <const> = {
  invalidEmail = function(auth)
    auth:createUser("ada", "correct horse")
  end,
  weakPassword = function(auth)
    auth:createUser("ada@luath.example", "short")
  end,
  emailAlreadyInUse = function(auth)
    auth:createUser("ada@luath.example", "correct horse")
    auth:createUser("ada@luath.example", "correct horse")
  end,
  invalidCredential = function(auth)
    auth:signIn { email = "nobody@luath.example", password = "a guess" }
  end,
  userDisabled = function(auth)
    local user <const> = auth:createUser("ada@luath.example", "correct horse").user
    Admin.admin():updateUser(user.uid, { disabled = true })
    auth:signIn { email = "ada@luath.example", password = "correct horse" }
  end,
  operationNotAllowed = function(auth)
    auth:signIn(Auth.OAuthProvider("oidc.unknown", auth))
  end,
  invalidCustomToken = function(auth)
    auth:signInWithCustomToken "not.a.token"
  end,
  invalidActionCode = function(auth)
    auth:applyActionCode "made-up"
  end,
  missingContinueURI = function(auth)
    auth:sendSignInLink("ada@luath.example", { handleCodeInApp = true })
  end,
}

journey("{code} has a number, a name on the web, a message and a hint", {
  each = "errors.json",
}, function(_, row)
  local err <const> = expect.raises(row.code, PROVOKE[row.code], Auth.session())
  expect.equal(err.rawValue, row.number)
  expect.equal(err.webCode, row.web)
  expect.truthy(#err.message > 0 and #err.hint > 0, "the error has no message or hint")
  expect.equal(err.code, Auth.ErrorCode[row.code])
end)

journey("a name that is no error code does not compare false", function()
  local code <const>, slip = luath.try(function()
    return Auth.ErrorCode.emailAlredyInUse
  end)
  expect.isNil(code)
  expect.contains(slip, "emailAlredyInUse")
end)

journey("a backend that fails with {fault} raises {code}", {
  tags = { "faults" },
  each = {
    { fault = "QUOTA_EXCEEDED", code = "quotaExceeded" },
    { fault = "503", code = "networkError" },
    { fault = "TOO_MANY_ATTEMPTS_TRY_LATER", code = "tooManyRequests" },
  },
}, function(j, row)
  emulator.setFaults { { operation = "signUp", error = row.fault, count = 1 } }
  local ada <const> = j.users:new()
  expect.raises(row.code, ada.createAccount, ada)
  expect.isNil(ada.user)
  j:step("the second try gets through", function()
    expect.equal(ada:createAccount().email, ada.email)
  end)
end)

journey("a broken connection differs from a refusal", { tags = { "faults" } }, function(j)
  emulator.setFaults { { operation = "signUp", drop = true, count = 1 } }
  local ada <const> = j.users:new()
  expect.raises("networkError", ada.createAccount, ada)
end)

journey("calls that only read get past a lost answer by themselves", {
  tags = { "faults" },
}, function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  ada:signIn()
  emulator.setFaults { { operation = "lookup", error = "503", count = 1 } }
  ada.user:reload()
  expect.equal(emulator.listFaults()[1].struck, 1)
end)
