--- Orders the responses of the scripted backend of the Swift tests, and reads the requests that it received.
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local http = require "luath.http"
local json = require "luath.json"

local scripted = {}

--- Queues a response to the calls of a name.
function scripted.answer(name, status, body)
  local url = emulator.origin .. "/script"
  assert(http.post(url, { json = { name = name, status = status, body = body } }).ok)
end

--- Queues a refusal with a message, and with more fields if there are any.
function scripted.fails(name, message, more)
  local error = { code = 400, message = message }
  for field, value in pairs(more or {}) do
    error[field] = value
  end
  scripted.answer(name, 400, { error = error })
end

--- All requests that the backend received.
function scripted.requests()
  return http.get(emulator.origin .. "/script"):json()
end

--- The body of the last request of a name, and the request.
function scripted.sent(name)
  local all = scripted.requests()
  for index = #all, 1, -1 do
    if all[index].name == name then
      return all[index].body, all[index]
    end
  end
end

--- A token with these claims and no signature.
function scripted.jwt(claims)
  return ("%s.%s.x"):format(crypto.base64url '{"alg":"none"}', crypto.base64url(json.encode(claims)))
end

--- The ID token of the user `U1`.
scripted.token = scripted.jwt { user_id = "U1", sub = "U1", iat = 100, exp = 3700 }

--- Queues the responses to a sign-in with a provider.
function scripted.accept(id, more, account)
  local body = {
    localId = "U1", providerId = id, idToken = scripted.token, refreshToken = "r", expiresIn = "3600",
  }
  for name, value in pairs(more or {}) do
    body[name] = value
  end
  scripted.answer("signInWithIdp", 200, body)
  scripted.answer("lookup", 200, { users = { account or { localId = "U1" } } })
end

return scripted
