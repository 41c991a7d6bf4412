--- What the tests of sign-in flows share.
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local host = require "luath.host"
local http = require "luath.http"
local json = require "luath.json"
local totp = require "luath.totp"
local ui = require "luath.ui"

local flows = {}

--- The password of everybody in the demo project.
flows.password = "luath-demo"

--- Raises unless two values are equal.
function flows.equal(actual, expected, what)
  if actual ~= expected then
    local words = "%s is %s and should be %s"
    error(words:format(what or "the value", tostring(actual), tostring(expected)), 2)
  end
end

--- Calls a function that must be refused with a code; gives the error after looking at its shape.
function flows.refused(code, f, ...)
  local ok, err = pcall(f, ...)
  if ok then
    error(code .. " was not raised", 2)
  elseif type(err) ~= "table" or err.code ~= code then
    error(code .. " was not raised, but: " .. tostring(err), 2)
  end
  assert(type(err.message) == "string" and #err.message > 8, "no message: " .. tostring(err))
  assert(type(err.hint) == "string" and #err.hint > 8, "no hint: " .. tostring(err))
  assert(tostring(err):find(err.message, 1, true), "the text hides the message")
  return err
end

--- Calls a function that must be refused as a mistake of the script; gives the words.
function flows.mistake(pattern, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok, "nothing was raised")
  local words = type(err) == "table" and err.message or err
  assert(words:find(pattern), ("%q has no %q"):format(words, pattern))
  return words
end

--- A provider whose page is shown to the person with the address.
function flows.provider(id, email, parameters)
  local provider = Auth.OAuthProvider(id)
  local all = { login_hint = email }
  for name, value in pairs(parameters or {}) do
    all[name] = value
  end
  provider.customParameters = all
  return provider
end

--- A delegate that fills in the pages as a person of the demo project.
function flows.form(email, answers)
  local all = { username = email, password = flows.password }
  for name, value in pairs(answers or {}) do
    all[name] = value
  end
  return ui.form(all)
end

--- What a user is known by at a provider.
function flows.way(user, id)
  for _, info in ipairs(user.providerData) do
    if info.providerID == id then
      return info
    end
  end
end

--- The ids of a user's providers, in order of the alphabet.
function flows.ways(user)
  local ids = {}
  for index, info in ipairs(user.providerData) do
    ids[index] = info.providerID
  end
  table.sort(ids)
  return table.concat(ids, " ")
end

--- Makes an account with a password, whose address counts as verified.
function flows.verified(auth, email, password)
  local user = auth:createUser(email, password or "correct horse").user
  local tenant = user.tenantID and "/tenants/" .. user.tenantID or ""
  local path = "/identitytoolkit.googleapis.com/v1/projects/%s%s/accounts:update"
  local answer = http.post(emulator.origin .. path:format(host.projectID, tenant), {
    bearer = "owner", json = { localId = user.uid, emailVerified = true },
  })
  assert(answer.ok, answer.body)
  user:getIDToken(true)
  user:reload()
  return user
end

--- Asks the backend as an administrator; gives the answer.
function flows.asAdmin(method, path, body)
  local place = "%s/identitytoolkit.googleapis.com/%s"
  local url = place:format(emulator.origin, path:gsub("PROJECT", host.projectID))
  local answer = http.request(method, url, { bearer = "owner", json = body })
  assert(answer.ok, answer.body)
  return answer:json()
end

--- Changes settings of the project, as its administrator: those that the mask names.
function flows.configure(mask, settings)
  flows.asAdmin("PATCH", "v2/projects/PROJECT/config?updateMask=" .. mask, settings)
end

--- The link of the newest letter, and what it holds.
function flows.letter()
  local letters = emulator.oobCodes()
  assert(#letters > 0, "no letter was sent")
  local link = letters[#letters].oobLink
  return link, Auth.ActionCodeURL(link)
end

--- The code of the newest letter.
function flows.code()
  local _, letter = flows.letter()
  return letter.code
end

--- The newest code that was sent to a number.
function flows.sms(number)
  local found
  for _, message in ipairs(emulator.verificationCodes()) do
    if message.phoneNumber == number then
      found = message.code
    end
  end
  assert(found, "nothing was sent to " .. number)
  return found
end

--- Enrols an authenticator app; gives its secret when the clock has left the code it took.
function flows.app(user, name)
  local generator = Auth.TOTPMultiFactorGenerator
  local secret = generator.generateSecret(user.multiFactor:getSession())
  user.multiFactor:enroll(generator.assertionForEnrollment(secret, totp.code(secret)), name or "app")
  emulator.advance(totp.remaining())
  return secret
end

--- Enrols a telephone.
function flows.telephone(user, number, name)
  local id = Auth.PhoneAuthProvider():verifyPhoneNumber(number, {
    session = user.multiFactor:getSession(),
  })
  local credential = Auth.PhoneAuthProvider.credential(id, flows.sms(number))
  user.multiFactor:enroll(Auth.PhoneMultiFactorGenerator.assertion(credential), name)
end

--- Asks the emulated project as its owner.
function flows.owned(path, body, method)
  local url = ("%s/identitytoolkit.googleapis.com/%s"):format(
    emulator.origin, (path:gsub("PROJECT", host.projectID)))
  local response = http.request(method or "POST", url, { json = body, bearer = "owner" })
  assert(response.ok, response.body)
  return response:json()
end

--- Changes an account as an administrator does.
function flows.change(uid, changes)
  changes.localId = uid
  return flows.owned("v1/projects/PROJECT/accounts:update", changes)
end

--- Makes a tenant in which everybody can sign in, and returns its id, which is the end of its name.
function flows.tenant()
  local made = flows.owned("v2/projects/PROJECT/tenants", {
    displayName = "team", allowPasswordSignup = true, enableAnonymousUser = true,
  })
  return made.name:match "[^/]+$"
end

--- Registers a provider with a tenant, under the client of the project.
function flows.register(id, tenant)
  local configurations = "v2/projects/PROJECT/%sdefaultSupportedIdpConfigs%s"
  local app = flows.owned(configurations:format("", "/" .. id), nil, "GET")
  flows.owned(configurations:format("tenants/" .. tenant .. "/", "?idpId=" .. id), {
    enabled = true, clientId = app.clientId, clientSecret = app.clientSecret,
  })
end

--- Bends the last part of a token, which is its signature.
function flows.bent(token)
  local head, signature = token:match "^(.*%.)(.-)$"
  return head .. signature:reverse()
end

--- A token whose claims were changed after it was signed.
function flows.forged(token, changes)
  local crypto = require "luath.crypto"
  local claims = crypto.claims(token)
  for name, value in pairs(changes) do
    claims[name] = value
  end
  local head, signature = token:match "^(.-)%..-%.(.-)$"
  return ("%s.%s.%s"):format(head, crypto.base64url(json.encode(claims)), signature)
end

--- Calls a function, and returns how many requests of an operation the emulator received meanwhile; `*` counts all.
function flows.requests(operation, f, ...)
  emulator.setFaults { { operation = operation, latency = 0 } }
  f(...)
  local seen = emulator.listFaults()[1].seen
  emulator.setFaults {}
  return seen
end

--- Makes an empty folder, which is deleted when the spec ends; returns its path.
function flows.folder()
  local path = os.tmpname()
  assert(os.remove(path))
  assert(os.execute(("mkdir -m 700 '%s'"):format(path)))
  require("luath.journey").finally(function()
    os.execute(("rm -rf '%s'"):format(path))
  end)
  return path
end

--- Writes a file.
function flows.write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(text))
end

--- Ends the script and hands a value to the test.
function flows.answer(value)
  error({ code = "answer", message = json.encode(value) })
end

return flows
