--- Signing in with a company's own OpenID Connect server.
local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"
local oidc <const> = require "luath.oidc"

journey.configure { tags = { "oidc", "providers" } }

local BARBARA <const> = "barbara@corp.example"

journey("{flow}: the project's server signs its people in", {
  tags = { "smoke" },
  each = { { flow = "oidc.corp" }, { flow = "oidc.implicit" } },
}, function(j, row)
  local barbara <const> = j.users:get(BARBARA)
  local result <const> = barbara:signIn(row.flow)
  expect.equal(result.user.email, BARBARA)
  expect.equal(result.user.providerData[1].providerID, row.flow)
  expect.equal(result.additionalUserInfo.profile.sub, result.user.providerData[1].uid)
end)

journey("the server describes itself, and by that the script signs in on its own", function(j)
  local issuer <const> = emulator.origin .. "/oidc/implicit"
  local described <const> = j:step("discovery", function()
    local answer <const> = http.get(issuer .. "/.well-known/openid-configuration")
    return answer:json()
  end)
  expect.equal(described.issuer, issuer, "the issuer must match to the last slash")

  local barbara <const> = j.users:get(BARBARA, { password = "luath-demo" })
  local tokens <const> = j:step("the script is the client", function()
    local client <const> = oidc.client {
      issuer = issuer, clientID = "luath-client-oidc.implicit",
      redirectURI = "http://127.0.0.1:8910/callback",
    }
    return client:signIn(barbara:delegate(), { loginHint = BARBARA })
  end)
  j:step("Firebase takes the ID token with the nonce it was asked for with", function()
    local credential <const> =
      Auth.OAuthProvider.credential("oidc.implicit", tokens.idToken, tokens.rawNonce)
    local user <const> = barbara.auth:signIn(credential).user
    expect.equal(user.providerData[1].uid, tokens.claims.sub)
  end)
  j:step("a stolen token is worth nothing without the nonce", function()
    local stolen <const> =
      Auth.OAuthProvider.credential("oidc.implicit", tokens.idToken, crypto.random())
    local thief <const> = Auth.session()
    expect.raises("missingOrInvalidNonce", thief.signIn, thief, stolen)
  end)
end)

journey("a project that was not upgraded refuses OpenID Connect", function(j)
  emulator.configure { identityPlatform = false }
  local barbara <const> = j.users:get(BARBARA)
  expect.raises("operationNotAllowed", barbara.signIn, barbara, "oidc.corp")
end)

journey("a server that the project does not have is refused", function(j)
  local barbara <const> = j.users:get(BARBARA)
  expect.raises("operationNotAllowed", barbara.signIn, barbara, "oidc.elsewhere")
end)

journey("a script cannot claim another issuer", function()
  local err <const> = expect.raises("issuerMismatch", oidc.client, {
    issuer = emulator.origin .. "/oidc/implicit/", clientID = "luath-client-oidc.implicit",
    redirectURI = "http://127.0.0.1:8910/callback",
  })
  expect.contains(err.message, "issuer")
end)
