--- Signing in with Yahoo, whose scopes must be exactly the app's permissions.
local Auth <const> = require "luath.auth"
local expect <const> = require "luath.expect"
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"

journey.configure { tags = { "yahoo", "providers" } }

local YUKI <const> = "yuki@yahoo.example"

journey("the registered scopes pass, and the profile opens with the token", function(j)
  local yuki <const> = j.users:get(YUKI)
  local result <const> = j:step("she signs in", function()
    return yuki:signIn("yahoo.com", {
      scopes = { "mail-r", "sdct-w" }, customParameters = { language = "en-us" },
    })
  end)
  local uid <const> = result.user.providerData[1].uid
  expect.equal(result.additionalUserInfo.profile.sub, uid)
  j:step("the profile API has her under that uid", function()
    local address <const> = ("https://social.yahooapis.com/v1/user/%s/profile"):format(uid)
    local answer <const> = http.get(address, {
      query = { format = "json" }, bearer = result.credential.accessToken,
    })
    expect.equal(answer:json().profile.guid, uid)
    expect.equal(answer:json().profile.nickname, "Yuki")
  end)
end)

journey("the scopes {scopes} are refused on Yahoo's page", {
  each = {
    { scopes = "mail-r" },
    { scopes = "mail-r sdct-w fspt-r" },
    { scopes = "mail-w sdct-w" },
  },
}, function(j, row)
  local scopes <const> = {}
  for scope in row.scopes:gmatch "%S+" do
    scopes[#scopes + 1] = scope
  end
  local yuki <const> = j.users:get(YUKI)
  local err <const> = expect.raises("webSignInUserInteractionFailure", function()
    yuki:credential("yahoo.com", { scopes = scopes })
  end)
  expect.contains(err.message, "invalid_scope")
end)

journey("a bare access token signs nobody in", { tags = { "replay" } }, function(j)
  local yuki <const> = j.users:get(YUKI)
  local result <const> = yuki:signIn("yahoo.com", { scopes = { "mail-r", "sdct-w" } })
  local thief <const> = Auth.session()
  expect.raises("invalidCredential", thief.signIn, thief,
    Auth.OAuthProvider.credential("yahoo.com", nil, nil, result.credential.accessToken))
end)
