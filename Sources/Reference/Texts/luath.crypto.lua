local crypto = require "luath.crypto"
local Auth = require "luath.auth"

---@param bytes _ what to digest
---@return string digest
function crypto.sha256()
  print(crypto.sha256("nonce"))
  assert(#crypto.sha256("nonce") == 64)
end

---@param bytes _ what to write
---@return string text base 64 without padding
function crypto.base64url()
  print(crypto.base64url("\xff\xfe"))
  assert(crypto.base64url("\xff\xfe") == "__4")
end

---@param bytes _ what to write
---@return string text base 64
function crypto.base64()
  local header = "Basic " .. crypto.base64("client:secret")
  print(header)
  assert(crypto.base64("ab") == "YWI=")
end

---@param bytes _ bytes of randomness, 16 to 1024; 32 when not given
---@return string text
function crypto.random()
  local state = crypto.random(16)
  print(#state)
  assert(state ~= crypto.random(16))
end

---@param one _ a secret
---@param other _ what it is compared with
---@return boolean same
function crypto.equal()
  local state = crypto.random()
  print(crypto.equal(state, "what came back"))
  assert(crypto.equal(state, state))
end

---@return { verifier: string, challenge: string } pair
function crypto.pkce()
  local pkce = crypto.pkce()
  print("code_challenge=" .. pkce.challenge .. "&code_challenge_method=S256")
  assert(#pkce.verifier >= 43)
end

--- Decodes a JWT and returns its claims.
---
--- Nothing is verified, so do not trust the claims. The ID token of an identity provider is
--- `result.credential.idToken`; Microsoft's has the user's id in the claim `oid`.
---
---@param token _ a JWT, signed or not
---@return table<string, any> claims
---@error malformedJWT when the text is no JWT
function crypto.claims()
  local user = Auth.auth():signInAnonymously().user
  local claims = crypto.claims(user:getIDToken())
  print(claims.sub, claims.firebase.sign_in_provider)
  assert(claims.sub == user.uid)
end
