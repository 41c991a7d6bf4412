--- Several sign-in methods of one account, and reauthentication.
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey.configure { tags = { "link" } }

--- How long a sign-in counts as recent, and a little more.
local LATER <const> = 3600

journey("{first} and then {second} lead to one account", {
  tags = { "smoke" },
  each = {
    { first = "microsoft.com", second = "google.com" },
    { first = "google.com", second = "oidc.corp" },
    { first = "password", second = "microsoft.com" },
  },
}, function(j, row)
  local ada <const> = j.users:new { account = row.first == "password" }
  local first <const> = row.first ~= "password" and row.first or nil
  local uid <const> = ada:signIn(first).user.uid
  ada:link(row.second)
  expect.contains(ada:signInMethods(), row.first)
  expect.contains(ada:signInMethods(), row.second)
  ada:signOut()
  expect.equal(ada:signIn(row.second).user.uid, uid)
end)

journey("an identity leads to one account only", function(j)
  local ada <const> = j.users:new { name = "Ada" }
  local grace <const> = j.users:new { name = "Grace" }
  grace:signIn "yahoo.com"
  ada:signIn "microsoft.com"
  expect.raises("credentialAlreadyInUse", function()
    ada.user:link(grace:credential "yahoo.com")
  end)
  expect.same(ada:signInMethods(), { "microsoft.com" })
end)

journey("the same provider is not linked twice", function(j)
  local ada <const> = j.users:new()
  ada:signIn "google.com"
  expect.raises("providerAlreadyLinked", ada.link, ada, "google.com")
end)

journey("unlinking takes one way and leaves the others", function(j)
  local ada <const> = j.users:new()
  ada:signIn "google.com"
  ada:link "microsoft.com"
  ada.user:unlink "google.com"
  expect.same(ada:signInMethods(), { "microsoft.com" })
  expect.raises("noSuchProvider", ada.user.unlink, ada.user, "google.com")
end)

describe("an hour after the sign-in", { tags = { "reauthenticate", "clock" } }, function()
  local function later(j)
    local ada <const> = j.users:new { password = "correct horse" }
    ada:signIn()
    emulator.advance(LATER)
    return ada
  end

  for _, change in ipairs {
    { "the password", function(user) user:updatePassword "battery staple" end },
    { "the account", function(user) user:delete() end },
  } do
    local what <const>, make <const> = table.unpack(change)

    journey(("%s changes only after another proof"):format(what), function(j)
      local ada <const> = later(j)
      expect.raises("requiresRecentLogin", make, ada.user)
      j:step("she reauthenticates", function()
        ada:reauthenticate()
      end)
      make(ada.user)
    end)
  end

  journey("a provider proves it as well, and renews the tokens", function(j)
    local ada <const> = later(j)
    -- Linking is no such change; it needs the account's own provider afterwards.
    ada:link "google.com"
    local before <const> = ada.user:getIDTokenResult().authDate
    emulator.advance(LATER)
    ada:reauthenticate "google.com"
    expect.truthy(ada.user:getIDTokenResult().authDate > before)
    ada.user:updatePassword "battery staple"
  end)

  journey("somebody else's proof does not count", function(j)
    local ada <const> = later(j)
    local grace <const> = j.users:new { password = "another horse" }
    expect.raises("userMismatch", function()
      ada.user:reauthenticate(Auth.EmailAuthProvider.credential(grace.email, grace.password))
    end)
    expect.raises("requiresRecentLogin", ada.user.delete, ada.user)
  end)
end)
