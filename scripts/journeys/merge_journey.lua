--- One account per address: what happens when somebody comes with another provider, and the merge,
--- with e-mail enumeration protection on and off.
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"
local merge <const> = require "luath.merge"

journey.configure { tags = { "merge" } }

--- Somebody with a password, whose provider nobody has verified.
local function newcomer(j)
  return j.users:new { name = "Ada", password = "correct horse" }
end

for _, isProtected in ipairs { false, true } do
  local setting <const> = isProtected and "protected" or "open"

  describe(("a project that is %s"):format(setting), { tags = { setting } }, function()
    journey.beforeEach(function()
      emulator.configure { enumerationProtection = isProtected }
    end)

    journey("{provider} is refused with the address and the pending credential", {
      each = { { provider = "microsoft.com" }, { provider = "yahoo.com" } },
    }, function(j, row)
      local ada <const> = newcomer(j)
      local scopes <const> = row.provider == "yahoo.com" and { "mail-r", "sdct-w" } or nil
      local err <const> = expect.raises("accountExistsWithDifferentCredential", function()
        ada:signIn(row.provider, { scopes = scopes })
      end)
      expect.equal(err.rawValue, 17012)
      expect.equal(err.email, ada.email)
      expect.truthy(err.pendingCredential)
      expect.isNil(ada.user, "the refused sign-in signed her in")
    end)

    journey("fetchProviders returns what the setting allows", function(j)
      local ada <const> = newcomer(j)
      local ways <const> = ada.auth:fetchProviders(ada.email)
      if isProtected then
        expect.equal(#ways, 0)
      else
        expect.same({ table.unpack(ways) }, { "password" })
      end
      expect.equal(#ada.auth:fetchProviders "nobody@luath.example", 0)
    end)

    journey("the merge by hand: sign in the existing way, link what is pending", {
      tags = { "smoke" },
    }, function(j)
      local ada <const> = newcomer(j)
      local err <const> = j:step("she comes with Microsoft", function()
        return expect.raises("accountExistsWithDifferentCredential", ada.signIn, ada,
          "microsoft.com")
      end)
      local uid <const> = j:step("she proves the account by its password", function()
        local proof <const> = Auth.EmailAuthProvider.credential(err.email, ada.password)
        return ada.auth:signIn(proof).user.uid
      end)
      j:step("the pending credential is linked", function()
        ada.user:link(err.pendingCredential)
        expect.same(ada:signInMethods(), { "microsoft.com", "password" })
      end)
      j:step("both ways lead there", function()
        ada:signOut()
        expect.equal(ada:signIn("microsoft.com").user.uid, uid)
        ada:signOut()
        expect.equal(ada:signIn().user.uid, uid)
      end)
    end)

    journey("luath.merge does it in one call, and asks again after a slip", function(j)
      local ada <const> = newcomer(j)
      local asked = 0
      local result <const> = merge.signIn(ada.auth, ada:provider "microsoft.com", {
        delegate = ada:delegate(),
        prove = merge.password(function(conflict)
          asked = conflict.attempt
          return asked == 1 and "a slip of the pen" or ada.password
        end),
      })
      expect.truthy(result.merged)
      expect.equal(asked, 2)
      expect.same({ table.unpack(result.linked) }, { "microsoft.com" })
      expect.equal(#result.lost, 0)
    end)

    journey("a user who cannot prove the account gets nothing", { tags = { "attack" } }, function(j)
      local ada <const> = newcomer(j)
      local thief <const> = j.users:new()
      expect.raises("accountExistsWithDifferentCredential", merge.signIn, thief.auth,
        ada:provider "microsoft.com", {
          delegate = ada:delegate(),
          prove = function()
            return nil
          end,
        })
      expect.isNil(thief.user)
      expect.same({ ada:signIn().user.providerData[1].providerID }, { "password" })
    end)

    journey("a wrong password reveals what the setting allows", function(j)
      local ada <const> = newcomer(j)
      local code = isProtected and "invalidCredential" or "wrongPassword"
      expect.raises(code, ada.auth.signIn, ada.auth, { email = ada.email, password = "a guess" })
      code = isProtected and "invalidCredential" or "userNotFound"
      expect.raises(code, ada.auth.signIn, ada.auth, {
        email = "nobody@luath.example", password = "a guess",
      })
    end)

    journey("a reset for an unknown address reveals what the setting allows", function(j)
      local ada <const> = newcomer(j)
      local function reset()
        ada.auth:sendPasswordReset "nobody@luath.example"
      end
      if isProtected then
        reset()
        expect.equal(#emulator.oobCodes(), 0)
      else
        expect.raises("userNotFound", reset)
      end
    end)
  end)
end

journey("a trusted provider is named even where nothing else is", function(j)
  emulator.configure { enumerationProtection = true }
  local grace <const> = j.users:new { name = "Grace" }
  local uid <const> = grace:signIn("google.com").user.uid
  grace:signOut()
  local err <const> =
    expect.raises("accountExistsWithDifferentCredential", grace.signIn, grace, "microsoft.com")
  expect.truthy(err.verifiedProviders:contains "google.com")
  grace:signIn(err.verifiedProviders[1])
  grace.user:link(err.pendingCredential)
  expect.equal(grace.user.uid, uid)
end)

journey("a project may allow several accounts with one address", function(j)
  emulator.configure { oneAccountPerEmail = false }
  local ada <const> = j.users:new { password = "correct horse" }
  local byPassword <const> = ada:signIn().user.uid
  ada:signOut()
  expect.truthy(ada:signIn("microsoft.com").user.uid ~= byPassword)
end)
