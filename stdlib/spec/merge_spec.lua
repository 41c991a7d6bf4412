local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local merge = require "luath.merge"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, ways = flows.provider, flows.ways


local function text(list)
  return table.concat(list, " ")
end

describe("luath.merge", function()
  for _, isProtected in ipairs { true, false } do
    describe(isProtected and "with enumeration protection" or "without enumeration protection", function()
      before_each(function()
        emulator.configure { enumerationProtection = isProtected }
      end)

      it("an account with a password gets a provider in one call", function()
        local password = crypto.random()
        local before = auth:createUser("ada@contoso.example", password).user.uid
        auth:signOut()
        local microsoft, asked = provider("microsoft.com", "ada@contoso.example"), {}
        local result = merge.signIn(auth, microsoft, {
          prove = function(conflict)
            asked = conflict
            return { email = conflict.email, password = password }
          end,
        })
        equal(asked.email, "ada@contoso.example")
        equal(asked.providerID, "microsoft.com")
        equal(asked.attempt, 1)
        equal(#asked.verifiedProviders, 0)
        equal(asked.methods and asked.methods[1], not isProtected and "password" or nil)
        equal(asked.error.rawValue, 17012)
        equal(result.user.uid, before)
        equal(auth.currentUser.uid, before)
        equal(result.merged, true)
        equal(result.attempts, 1)
        equal(result.renewed, false)
        equal(text(result.linked), "microsoft.com")
        equal(text(result.providers), "microsoft.com password")
        equal(#result.lost, 0)
        equal(result.before and text(result.before), not isProtected and "password" or nil)
        equal(result.conflict, asked.error)
        assert(result.credential.accessToken)
        -- From now on nothing is left to merge.
        auth:signOut()
        local again = merge.signIn(auth, microsoft)
        equal(again.user.uid, before)
        equal(again.merged, false)
        equal(again.additionalUserInfo.isNewUser, false)
        equal(#again.linked + #again.lost, 0)
      end)

      it("an account with a provider is proved at that provider's page", function()
        local grace = auth:signIn(provider("google.com", "grace@fabrikam.example")).user.uid
        auth:signOut()
        -- Yahoo's page is not shown: the account has no such way, by whichever of the two lists.
        local result = merge.signIn(auth, provider("microsoft.com", "grace@fabrikam.example"), {
          prove = merge.providers { "yahoo.com", "google.com" },
        })
        equal(result.user.uid, grace)
        equal(result.attempts, 1)
        equal(text(result.linked), "microsoft.com")
        equal(text(result.providers), "google.com microsoft.com")
      end)

      it("somebody else's proof links nothing and signs nobody in", function()
        local password, hers = crypto.random(), crypto.random()
        local ada = auth:createUser("ada@contoso.example", hers).user.uid
        local mallory = auth:createUser("mallory@contoso.example", password).user
        local heard = {}
        local err = refused("userMismatch", merge.signIn, auth, provider("microsoft.com", "ada@contoso.example"), {
          prove = function() return { email = "mallory@contoso.example", password = password } end,
        })
        equal(err.rawValue, 17024)
        equal(err.email, "ada@contoso.example")
        equal(err.details.email, "mallory@contoso.example")
        equal(err.details.uid, mallory.uid)
        assert(not err.where:find "luath/merge", err.where)
        equal(auth.currentUser.uid, mallory.uid, "the user who was signed in before")
        mallory:reload()
        equal(ways(mallory), "password")
        -- The owner can still go on with what the error has.
        auth:signIn { email = err.email, password = hers }
        equal(auth.currentUser.uid, ada)
        auth.currentUser:link(err.pendingCredential)
        equal(ways(auth.currentUser), "microsoft.com password")
      end)

      it("a stranger who proves nothing gets no account for it", function()
        auth:createUser("ada@contoso.example", crypto.random())
        auth:signOut()
        local tries = 0
        local err = refused("userNotFound", merge.signIn, auth, provider("microsoft.com", "ada@contoso.example"), {
          attempts = 2,
          prove = function()
            tries = tries + 1
            return provider("yahoo.com", "yuki@yahoo.example")
          end,
        })
        equal(tries, 2)
        equal(err.email, "ada@contoso.example")
        equal(err.pendingCredential.providerID, "microsoft.com")
        equal(auth.currentUser, nil)
        equal(auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).additionalUserInfo.isNewUser, true)
      end)

      it("a wrong password is asked for again, and then the error says how to go on", function()
        local password, wrong = crypto.random(), isProtected and "invalidCredential" or "wrongPassword"
        local ada = auth:createUser("ada@contoso.example", password).user.uid
        auth:signOut()
        local microsoft = provider("microsoft.com", "ada@contoso.example")
        local failures = {}
        local function ask(right)
          return merge.password(function(conflict)
            failures[conflict.attempt] = conflict.failure and conflict.failure.code or "none"
            return conflict.attempt == right and password or "battery staple"
          end)
        end
        local err = refused(wrong, merge.signIn, auth, microsoft, { prove = ask(4) })
        equal(text(failures), "none " .. wrong .. " " .. wrong)
        equal(err.email, "ada@contoso.example")
        equal(err.pendingCredential.providerID, "microsoft.com")
        equal(err.conflict.rawValue, 17012)
        -- A password that does not change is tried once.
        refused(wrong, merge.signIn, auth, microsoft, { prove = merge.password "battery staple" })
        equal(auth.currentUser, nil)
        local result = merge.signIn(auth, microsoft, { prove = ask(3) })
        equal(result.user.uid, ada)
        equal(result.attempts, 3)
      end)

      it("a spent credential is renewed by the provider's flow", function()
        local ada = auth:createUser("ada@contoso.example", "correct horse").user.uid
        local graces = auth:signIn(provider("microsoft.com", "grace@fabrikam.example")).user.uid
        auth:signOut()
        local microsoft = provider("microsoft.com", "ada@contoso.example")
        local function late()
          emulator.advance(24 * 3600)
          return { email = "ada@contoso.example", password = "correct horse" }
        end
        -- A credential cannot be had again, and nobody is signed in half way.
        local err = refused("invalidCredential", merge.signIn, auth, microsoft:getCredential(), { prove = late })
        assert(err.hint:find("options.renew", 1, true), err.hint)
        equal(err.email, "ada@contoso.example")
        equal(auth.currentUser, nil)
        -- Whoever answers the page the second time must be the same person.
        local function renewed(email)
          return function() return provider("microsoft.com", email) end
        end
        local err = refused("userMismatch", merge.signIn, auth, microsoft,
          { prove = late, renew = renewed "grace@fabrikam.example" })
        equal(err.details.uid, graces)
        refused("userNotFound", merge.signIn, auth, microsoft, { prove = late, renew = renewed "alan@outlook.example" })
        local result = merge.signIn(auth, microsoft, { prove = late })
        equal(result.renewed, true)
        equal(result.user.uid, ada)
        equal(text(result.providers), "microsoft.com password")
      end)

      it("an e-mailed link proves the account", function()
        local ada = auth:createUser("ada@contoso.example", crypto.random()).user.uid
        auth:signOut()
        local asked = {}
        local link = merge.emailLink(function(email)
          asked[#asked + 1] = email
          local codes = emulator.oobCodes()
          return codes[#codes].oobLink
        end, { url = "http://localhost/finish", handleCodeInApp = true })
        local result = merge.signIn(auth, provider("microsoft.com", "ada@contoso.example"), {
          prove = merge.firstOf(merge.password "battery staple", link),
        })
        equal(result.user.uid, ada)
        equal(result.attempts, 2)
        equal(text(asked), "ada@contoso.example")
        assert(result.providers:contains "microsoft.com")
        assert(result.user.isEmailVerified)
      end)
    end)
  end

  it("whoever declines leaves all as it was", function()
    local before = auth:createUser("ada@contoso.example", "correct horse").user
    local grace = auth:createUser("grace@fabrikam.example", "correct horse").user
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    for _, options in ipairs { {}, { prove = function() end } } do
      local err = refused("accountExistsWithDifferentCredential", merge.signIn, auth, microsoft, options)
      equal(err.email, "ada@contoso.example")
      equal(err.pendingCredential.providerID, "microsoft.com")
      equal(auth.currentUser, grace)
    end
    before:reload()
    equal(ways(before), "password")
    -- An error of the script's own comes through as it is.
    local ok, err = pcall(merge.signIn, auth, microsoft, { prove = function() error "no terminal" end })
    assert(not ok and tostring(err):find("no terminal", 1, true), err)
    ok, err = pcall(merge.signIn, auth, microsoft, { prove = function() return 7 end })
    assert(not ok and err:find("options.prove returned a number; let it return", 1, true), err)
  end)

  it("what somebody else linked meanwhile is merged already", function()
    emulator.configure { enumerationProtection = false }
    local ada = auth:createUser("ada@contoso.example", "correct horse").user
    auth:signOut()
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    local function slow()
      ada:link(provider("microsoft.com", "ada@contoso.example"))
      return { email = "ada@contoso.example", password = "correct horse" }
    end
    -- With a credential that cannot be had again it is an error, with the account as it is.
    local err = refused("providerAlreadyLinked", merge.signIn, auth, microsoft:getCredential(), { prove = slow })
    equal(err.email, "ada@contoso.example")
    assert(err.hint:find("unlink", 1, true), err.hint)
    ada:unlink "microsoft.com"
    local result = merge.signIn(auth, microsoft, { prove = slow })
    equal(result.user.uid, ada.uid)
    equal(auth.currentUser.uid, ada.uid)
    equal(result.renewed, true)
    equal(text(result.linked), "microsoft.com")
  end)

  it("what a trusted provider replaced is named", function()
    emulator.configure { enumerationProtection = false }
    -- Without a conflict: the provider vouches for the address and takes the account over.
    auth:createUser("barbara@corp.example", "not barbara's")
    auth:signOut()
    local google = provider("google.com", "barbara@corp.example")
    local result = merge.signIn(auth, google, { email = "barbara@corp.example" })
    equal(result.merged, false)
    equal(text(result.before), "password")
    equal(text(result.linked), "google.com")
    equal(text(result.lost), "password")
    -- With one: the owner proves the account by such a provider.
    auth:createUser("grace@fabrikam.example", "not grace's")
    auth:signOut()
    local result = merge.signIn(auth, provider("microsoft.com", "grace@fabrikam.example"), {
      prove = function() return provider("google.com", "grace@fabrikam.example") end,
    })
    equal(text(result.linked), "google.com microsoft.com")
    equal(text(result.lost), "password")
    equal(text(result.providers), "google.com microsoft.com")
  end)

  it("what is lost is known of the user who is signed in, too", function()
    local barbara = auth:createUser("barbara@corp.example", "not barbara's").user
    local result = merge.signIn(auth, provider("google.com", "barbara@corp.example"))
    equal(result.user.uid, barbara.uid)
    equal(result.before, nil)
    equal(text(result.lost), "password")
    equal(text(result.linked), "google.com")
  end)

  it("a second factor is asked for where the account has one", function()
    local totp, generator = require "luath.totp", Auth.TOTPMultiFactorGenerator
    local ada = flows.verified(auth, "ada@contoso.example", "correct horse")
    local secret = flows.app(ada, "app")
    auth:signOut()
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    local options = { prove = merge.password "correct horse" }
    local err = refused("secondFactorRequired", merge.signIn, auth, microsoft, options)
    equal(err.email, "ada@contoso.example")
    equal(err.pendingCredential.providerID, "microsoft.com")
    assert(err.resolver)
    function options.resolve(err)
      local code = totp.code(secret)
      emulator.advance(totp.remaining())
      return err.resolver:resolveSignIn(generator.assertionForSignIn(err.resolver.hints[1], code))
    end
    local result = merge.signIn(auth, microsoft, options)
    equal(result.user.uid, ada.uid)
    equal(auth.currentUser.uid, ada.uid)
    equal(result.merged, true)
    equal(text(result.providers), "microsoft.com password")
    -- And the provider alone is asked for it from now on.
    auth:signOut()
    equal(merge.signIn(auth, microsoft, { resolve = options.resolve }).user.uid, ada.uid)
  end)

  it("wrong arguments are refused in words", function()
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    mistake("#1 to 'signIn' %(Auth expected, got nil%)", merge.signIn)
    mistake("#1 to 'signIn'", merge.signIn, microsoft, auth)
    mistake("#2 to 'signIn'", merge.signIn, auth)
    mistake("#2 to 'signIn'", merge.signIn, auth, "ada@contoso.example")
    mistake("#3 to 'signIn'", merge.signIn, auth, microsoft, 7)
    mistake("no option 'proof'", merge.signIn, auth, microsoft, { proof = print })
    mistake("option 'prove': function expected, got string", merge.signIn, auth, microsoft, { prove = "x" })
    mistake("option 'attempts'", merge.signIn, auth, microsoft, { attempts = 0 })
    mistake("option 'attempts'", merge.signIn, auth, microsoft, { attempts = 1.5 })
    mistake("option 'renew'", merge.signIn, auth, microsoft, { renew = auth })
    mistake("#1 to 'password'", merge.password, {})
    mistake("#1 to 'providers'", merge.providers, "google.com")
    mistake("#1 to 'providers'", merge.providers, { 7 })
    mistake("#1 to 'emailLink'", merge.emailLink)
    mistake("#2 to 'firstOf'", merge.firstOf, print, 7)
    equal(auth.currentUser, nil)
  end)
end)
