--- Signing in with Microsoft: tenants, scopes, Microsoft Graph, and which id is whose.
local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local expect <const> = require "luath.expect"
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"

journey.configure { tags = { "microsoft", "providers" } }

local ADA <const> = "ada@contoso.example"

--- What a person signs in to Microsoft with.
local function asking(tenant)
  return {
    scopes = { "mail.read", "calendars.read" },
    customParameters = { prompt = "consent", tenant = tenant },
  }
end

--- What Microsoft Graph answers a bearer of a token.
local function graph(path, token)
  return http.get("https://graph.microsoft.com/v1.0" .. path, { bearer = token })
end

journey("a work account signs in, and Graph shows who it is", { tags = { "smoke" } }, function(j)
  local ada <const> = j.users:get(ADA)
  local result <const> = j:step("she signs in on her tenant's page", function()
    return ada:signIn("microsoft.com", asking "contoso.example")
  end)
  expect.equal(result.user.email, ADA)
  expect.truthy(result.additionalUserInfo.isNewUser, "the first sign-in makes the account")
  expect.equal(result.additionalUserInfo.profile.displayName, "Ada Lovelace")

  local token <const> = result.credential.accessToken
  j:step("Graph accepts the access token", function()
    local me <const> = graph("/me", token):json()
    expect.equal(me.mail, ADA)
    expect.equal(me.jobTitle, "Engineer")
  end)
  j:step("her photo is bytes, not an address", function()
    local photo <const> = graph("/me/photo/$value", token)
    expect.equal(photo.body:sub(2, 4), "PNG")
    expect.isNil(result.user.photoURL)
  end)
  j:step("nobody else sees it", function()
    expect.equal(graph("/me").status, 401)
  end)
end)

journey("the tenant {tenant} admits {email}", {
  each = {
    { tenant = "contoso.example", email = ADA },
    { tenant = "organizations", email = "grace@fabrikam.example" },
    { tenant = "common", email = "alan@outlook.example" },
    { tenant = "consumers", email = "alan@outlook.example" },
  },
}, function(j, row)
  local user <const> = j.users:get(row.email):signIn("microsoft.com", asking(row.tenant)).user
  expect.equal(user.email, row.email)
end)

journey("the tenant {tenant} turns {email} away", {
  each = {
    { tenant = "contoso.example", email = "grace@fabrikam.example" },
    { tenant = "contoso.example", email = "alan@outlook.example" },
  },
}, function(j, row)
  local person <const> = j.users:get(row.email)
  local err <const> = expect.raises("webSignInUserInteractionFailure", function()
    person:signIn("microsoft.com", asking(row.tenant))
  end)
  expect.contains(err.message, "AADSTS50020")
  expect.isNil(person.user, "somebody who was turned away is signed in")
end)

journey("a uid comes from the oid: whole with a tenant, its last digits without", function(j)
  local function ids(email)
    local result <const> = j.users:get(email):signIn "microsoft.com"
    local claims <const> = crypto.claims(result.credential.idToken)
    return claims, result.user.providerData[1].uid
  end
  j:step("a work account", function()
    local claims <const>, uid <const> = ids(ADA)
    expect.equal(uid, claims.oid)
    expect.truthy(claims.sub ~= claims.oid, "sub is of one app only")
  end)
  j:step("a personal account", function()
    local claims <const>, uid <const> = ids "alan@outlook.example"
    expect.equal(#uid, 16)
    expect.equal(claims.oid:gsub("-", ""), ("0"):rep(16) .. uid)
  end)
end)

journey("a bare access token signs nobody in", { tags = { "replay" } }, function(j)
  local ada <const> = j.users:get(ADA)
  local token <const> = j:secret(ada:signIn("microsoft.com").credential.accessToken)
  local thief <const> = Auth.session()
  expect.raises("invalidCredential", thief.signIn, thief,
    Auth.OAuthProvider.credential("microsoft.com", nil, nil, token))
  expect.isNil(thief.currentUser)
end)
