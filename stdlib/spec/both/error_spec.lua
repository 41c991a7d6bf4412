-- The errors that an emulator can be brought to, in the same codes under the rules of Google's servers and of
-- Firebase's emulator.
local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local host = require "luath.host"
local http = require "luath.http"
local json = require "luath.json"

local auth = Auth.auth()
local equal, refused, provider = flows.equal, flows.refused, flows.provider

-- Only under the rules of Google's servers do the settings name the providers.
local function isProduction()
  local settings = http.get(("%s/emulator/v1/projects/%s/config"):format(emulator.origin, host.projectID))
  return settings:json().providers ~= nil
end

-- A new identity, whose provider vouches for the address.
local function trusted(name)
  if isProduction() then
    return provider("google.com", name .. "@contoso.example"):getCredential()
  end
  local claims = { sub = name, email = name .. "@contoso.example", email_verified = true }
  return Auth.GoogleAuthProvider.credential(json.encode(claims))
end

-- A new identity, whose provider does not vouch for the address.
local function doubted(name)
  if isProduction() then
    return provider("microsoft.com", name .. "@contoso.example"):getCredential()
  end
  local claims = { sub = name, email = name .. "@contoso.example", email_verified = false }
  return Auth.GitHubAuthProvider.credential(json.encode(claims))
end

local function password(name)
  return auth:createUser(name .. "@contoso.example", "correct horse").user
end

local function signIn(name, word)
  auth:signInWithEmail(name .. "@contoso.example", word or "correct horse")
end

local function fault(fields)
  fields.operation = "signUp"
  emulator.setFaults { fields }
  auth:signInAnonymously()
end

local rows = {
  { "emailAlreadyInUse", "a new account with a taken address", function()
    password "ada"
    password "ada"
  end },
  { "weakPassword", "a new account", function()
    auth:createUser("ada@contoso.example", "five5")
  end },
  { "invalidEmail", "a new account", function()
    auth:createUser("ada", "correct horse")
  end },
  { "userDisabled", "a sign-in", function()
    flows.change(password("ada").uid, { disableUser = true })
    signIn "ada"
  end },
  { "invalidCredential", "an unknown address, with enumeration protection", function()
    emulator.configure { enumerationProtection = true }
    signIn "ada"
  end },
  { "wrongPassword", "a sign-in", function()
    password "ada"
    signIn("ada", "battery staple")
  end },
  { "userNotFound", "a sign-in", function()
    signIn "nobody"
  end },
  { "invalidCustomToken", "a sign-in", function()
    auth:signInWithCustomToken "no token"
  end },
  { "accountExistsWithDifferentCredential", "a sign-in", function()
    password "ada"
    auth:signIn(doubted "ada")
  end },
  { "credentialAlreadyInUse", "a link", function()
    auth:signIn(trusted "ada")
    auth:signOut()
    auth:signInAnonymously().user:link(trusted "ada")
  end },
  { "emailAlreadyInUse", "a link", function()
    password "ada"
    auth:signOut()
    auth:signInAnonymously().user:link(doubted "ada")
  end },
  { "providerAlreadyLinked", "a link", function()
    auth:signIn(trusted "ada").user:link(trusted "ada")
  end },
  { "noSuchProvider", "an unlinking", function()
    password("ada"):unlink "google.com"
  end },
  { "userMismatch", "a reauthentication", function()
    auth:signIn(trusted "ada")
    password("eve"):reauthenticate(trusted "ada")
  end },
  { "userTokenExpired", "a reload", function()
    local user = password "ada"
    emulator.advance(2)
    flows.change(user.uid, { validSince = tostring(os.time() + 3600) })
    user:reload()
  end },
  { "secondFactorRequired", "a sign-in", function()
    flows.change(password("ada").uid, {
      emailVerified = true,
      mfa = { enrollments = { { mfaEnrollmentId = "E1", phoneInfo = "+15555550100" } } },
    })
    signIn "ada"
  end },
  { "invalidActionCode", "the code of an e-mail", function()
    auth:applyActionCode "no code"
  end },
  { "invalidActionCode", "a password reset", function()
    auth:confirmPasswordReset("no code", "battery staple")
  end },
  { "missingEmail", "a password reset", function()
    auth:sendPasswordReset ""
  end },
  { "userNotFound", "a password reset", function()
    auth:sendPasswordReset "nobody@contoso.example"
  end },
  { "invalidPhoneNumber", "an SMS code", function()
    Auth.PhoneAuthProvider():verifyPhoneNumber "5550100"
  end },
  { "invalidVerificationCode", "a sign-in", function()
    local id = Auth.PhoneAuthProvider():verifyPhoneNumber "+15555550100"
    auth:signIn(Auth.PhoneAuthProvider.credential(id, "000000"))
  end },
  { "invalidVerificationID", "a sign-in", function()
    auth:signIn(Auth.PhoneAuthProvider.credential("no id", "123456"))
  end },
  { "networkError", "a lost response", function()
    fault { drop = true }
  end },
  { "tooManyRequests", "a refusal", function()
    fault { error = "TOO_MANY_ATTEMPTS_TRY_LATER" }
  end },
  { "operationNotAllowed", "a refusal", function()
    fault { error = "OPERATION_NOT_ALLOWED" }
  end },
  { "adminRestrictedOperation", "a refusal", function()
    fault { error = "ADMIN_ONLY_OPERATION" }
  end },
}

describe("what is refused is refused in the same code under both rule sets", function()
  before_each(function()
    emulator.configure { enumerationProtection = false }
  end)

  for _, row in ipairs(rows) do
    local code, what, call = table.unpack(row)
    it(code .. ": " .. what, function()
      local err = refused(code, call)
      equal(Auth.ErrorCode[err.code], code)
      assert(err.rawValue >= 17000 and err.name and err.webCode:find "^auth/")
    end)
  end
end)
