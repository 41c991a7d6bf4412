local flows = require "support.flows"
local Admin = require "luath.admin"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local host = require "luath.host"
local json = require "luath.json"

local admin, auth = Admin.admin(), Auth.auth()
local equal, mistake, refused, provider = flows.equal, flows.mistake, flows.refused, flows.provider

describe("an administrator's settings", function()
  it("all settings of a tenant go there and come back", function()
    local settings = {
      displayName = "Crimson", emailSignInConfig = { enabled = true, passwordRequired = true },
      anonymousSignInEnabled = true, disableAuth = false,
      multiFactorConfig = {
        state = "ENABLED", factorIDs = { "phone" },
        providerConfigs = { { state = "ENABLED", totpProviderConfig = { adjacentIntervals = 3 } } },
      },
      testPhoneNumbers = { ["+15555550100"] = "123456" },
      emailPrivacyConfig = { enableImprovedEmailPrivacy = true },
      passwordPolicyConfig = {
        enforcementState = "ENFORCE", forceUpgradeOnSignin = true,
        constraints = {
          requireUppercase = true, requireLowercase = true, requireNonAlphanumeric = false,
          requireNumeric = true, minLength = 8, maxLength = 30,
        },
      },
      smsRegionConfig = { allowlistOnly = { allowedRegions = { "GB", "FR" } } },
      recaptchaConfig = {
        emailPasswordEnforcementState = "AUDIT", phoneEnforcementState = "AUDIT",
        managedRules = { { endScore = 0.3, action = "BLOCK" } },
        smsTollFraudManagedRules = { { startScore = 0.8, action = "BLOCK" } },
        useAccountDefender = true, useSmsBotScore = false, useSmsTollFraudProtection = true,
      },
      client = { permissions = { disabledUserSignup = true, disabledUserDeletion = false } },
    }
    local function same(given, found, place)
      if type(given) ~= "table" then return equal(found, given, place) end
      assert(type(found) == "table", place)
      for name, value in pairs(given) do same(value, found[name], place .. "." .. name) end
      for name in pairs(found) do assert(given[name] ~= nil, place .. "." .. name .. " was not given") end
    end
    local made = admin:createTenant(settings)
    local id = made.tenantID
    made.tenantID = nil
    same(settings, made, "made")
    -- What was read can be written.
    local other = admin:createTenant { displayName = "Other" }
    local again = admin:updateTenant(other.tenantID, made)
    again.tenantID = nil
    same(settings, again, "again")
    -- One region rule takes the place of the other; false takes them away.
    local changed = admin:updateTenant(id, { smsRegionConfig = { allowByDefault = { disallowedRegions = { "US" } } } })
    equal(changed.smsRegionConfig.allowlistOnly, nil)
    equal(changed.smsRegionConfig.allowByDefault.disallowedRegions[1], "US")
    equal(changed.passwordPolicyConfig.constraints.minLength, 8)
    changed = admin:updateTenant(id, { smsRegionConfig = false, testPhoneNumbers = false })
    equal(next(changed.smsRegionConfig), nil)
    equal(next(changed.testPhoneNumbers or {}), nil)
  end)

  it("a wrong setting is named", function()
    mistake("no option 'displayname'", admin.createTenant, admin, { displayname = "Crimson" })
    mistake("bad argument", admin.createTenant, admin, { displayName = 7 })
    mistake("bad argument", admin.createTenant, admin, { emailSignInConfig = { enabled = "yes" } })
    mistake("no option 'enable'", admin.createTenant, admin, { emailSignInConfig = { enable = true } })
    mistake("bad argument", admin.createTenant, admin, { testPhoneNumbers = { ["+1"] = 123456 } })
    mistake("bad argument", admin.createTenant, admin)
    mistake("table with names", admin.updateTenant, admin, "x", json.array {})
    local function wrong(settings, place)
      local err = refused("invalidArgument", admin.createTenant, admin, settings)
      assert(err.message:find(place, 1, true), err.message)
    end
    wrong({ displayName = true }, "settings.displayName")
    wrong({ multiFactorConfig = { state = "ON" } }, "settings.multiFactorConfig.state must be 'ENABLED'")
    wrong({ multiFactorConfig = { factorIDs = { "sms" } } }, "settings.multiFactorConfig.factorIDs")
    wrong({ multiFactorConfig = { factorIDs = {}, factorIds = {} } }, "both factorIDs and factorIds")
    wrong({ recaptchaConfig = { managedRules = { { action = "PASS" } } } }, "managedRules[1].action")
    wrong({ smsRegionConfig = true }, "settings.smsRegionConfig")
    -- A step in the path would lead from the tenant to the project.
    for _, id in ipairs { "", ".", ".." } do
      for _, name in ipairs { "getTenant", "deleteTenant", "authForTenant" } do
        refused("invalidArgument", admin[name], admin, id)
      end
      refused("invalidArgument", admin.getProviderConfig, admin, id)
      refused("invalidArgument", admin.deleteProviderConfig, admin, id)
      refused("invalidArgument", Admin.admin, { tenantID = id })
    end
    refused("invalidTenantID", admin.getTenant, admin, "nowhere")
    refused("invalidTenantID", admin.updateTenant, admin, "nowhere", { displayName = "Crimson" })
    admin:updateProjectConfig { multiTenant = { allowTenants = false } }
    refused("configurationNotFound", admin.createTenant, admin, { displayName = "Crimson" })
  end)

  it("the project says how it hashes passwords, as an import is told", function()
    admin:createUser { uid = "ada", email = "ada@example.com", password = "correct horse" }
    local hash = admin:getProjectConfig().signIn.hashConfig
    equal(hash.algorithm, "SCRYPT")
    assert(hash.signerKey and hash.saltSeparator and hash.rounds and hash.memoryCost)
    local path = os.tmpname()
    equal(admin:exportUsers(path).passwordHashCount, 1)
    admin:deleteUser("ada")
    equal(admin:importUsers(path, { hash = hash }).successCount, 1)
    os.remove(path)
    equal(auth:signInWithEmail("ada@example.com", "correct horse").user.uid, "ada")
    for _, value in ipairs { hash, false } do
      local err = refused(
        "invalidArgument", admin.updateProjectConfig, admin, { signIn = { hashConfig = value } })
      equal(err.message, "settings.signIn.hashConfig cannot be changed")
    end
  end)

  it("the project's settings are in force", function()
    admin:updateProjectConfig {
      passwordPolicyConfig = { enforcementState = "ENFORCE", constraints = { minLength = 12, requireNumeric = true } },
    }
    refused("passwordDoesNotMeetRequirements", auth.createUser, auth, "ada@example.com", "correct horse")
    assert(auth:createUser("ada@example.com", "correct horse 1").user)
    admin:updateProjectConfig { passwordPolicyConfig = { enforcementState = "OFF" } }
    assert(auth:createUser("bob@example.com", "correct horse").user)
    admin:updateProjectConfig { client = { permissions = { disabledUserSignup = true } } }
    refused("adminRestrictedOperation", auth.createUser, auth, "eve@example.com", "correct horse")
    local config = admin:updateProjectConfig {
      authorizedDomains = { "app.example" }, multiFactorConfig = { state = "ENABLED", factorIDs = { "phone" } },
      signIn = { phoneNumber = { enabled = true, testPhoneNumbers = { ["+15555550100"] = "123456" } } },
    }
    equal(config.authorizedDomains[1], "app.example")
    equal(config.multiFactorConfig.factorIDs[1], "phone")
    equal(config.signIn.phoneNumber.testPhoneNumbers["+15555550100"], "123456")
    equal(config.client.permissions.disabledUserSignup, true)
    -- The project's, even where a tenant's administrator asks.
    local tenant = admin:authForTenant(admin:createTenant({ displayName = "Other" }).tenantID)
    equal(tenant:getProjectConfig().authorizedDomains[1], "app.example")
  end)
end)

describe("an administrator's tokens", function()
  it("a custom token is signed with the key that the administrator brings", function()
    local own = Admin.admin { serviceAccount = emulator.serviceAccount() }
    equal(auth:signInWithCustomToken(own:createCustomToken("u1")).user.uid, "u1")
    local other = emulator.serviceAccount()
    other.client_email = "a@another.iam.gserviceaccount.com"
    local stranger = Admin.admin { serviceAccount = other }
    refused("customTokenMismatch", auth.signInWithCustomToken, auth, stranger:createCustomToken("u1"))
  end)

  it("forged tokens are refused by the production rules", function()
    local user = auth:createUser("ada@example.com", "correct horse").user
    local good = user:getIDToken()
    local function refuse(token)
      local err = refused("invalidIDToken", admin.verifyIDToken, admin, token)
      assert(token == "" or not tostring(err):find(token, 1, true))
      return err
    end
    refuse(flows.bent(good))
    refuse(flows.forged(good, { sub = "somebody" }))
    refuse("")
    refuse("a.b.c")
    refuse("not a token")
    local head, body = good:match "^(.-)%.(.-)%."
    refuse(crypto.base64url('{"alg":"none","typ":"JWT"}') .. "." .. body .. ".")
    refuse(crypto.base64url('{"alg":"none","typ":"JWT"}') .. "." .. body .. "." .. crypto.base64url("x"))
    refuse(crypto.base64url('{"alg":"RS256"}') .. "." .. body .. good:match "%.[^.]*$")
    refuse(crypto.base64url('{"alg":"RS256","kid":"x"}') .. "." .. body .. good:match "%.[^.]*$")
    -- Tokens of the same project by keys that have another purpose.
    assert(refuse(admin:createSessionCookie(good, { expiresIn = 300 })).hint:find "verifySessionCookie")
    assert(refuse(admin:createCustomToken("ada")).message:find "custom token")
    local google = auth:signIn(provider("google.com", "ada@contoso.example")).credential.idToken
    refuse(google)
  end)

  it("the tokens of a tenant's people are its administrator's", function()
    local project = admin
    local id = project:createTenant { displayName = "Crimson", emailSignInConfig = { enabled = true } }.tenantID
    local red = project:authForTenant(id)
    equal(red.tenantID, id)
    equal(tostring(red), ("Admin(%s, tenant %s)"):format(host.projectID, id))
    auth.tenantID = id
    local user = auth:signInWithCustomToken(red:createCustomToken("ada")).user
    equal(user.tenantID, id)
    local token = user:getIDToken()
    equal(red:verifyIDToken(token, true).firebase.tenant, id)
    -- The project's administrator takes them as well, and asks the tenant for the account.
    equal(project:verifyIDToken(token, true).uid, "ada")
    local cookie = red:createSessionCookie(token, { expiresIn = 600 })
    equal(red:verifySessionCookie(cookie, true).uid, "ada")
    local blue = project:authForTenant(project:createTenant { displayName = "Blue" }.tenantID)
    refused("tenantIDMismatch", blue.verifyIDToken, blue, token)
    refused("tenantIDMismatch", blue.verifySessionCookie, blue, cookie)
    refused("invalidArgument", project.authForTenant, project, "")
    auth.tenantID = nil
    auth:signOut()
    refused("tenantIDMismatch", auth.signInWithCustomToken, auth, red:createCustomToken("ada"))
    local outside = auth:signInAnonymously().user:getIDToken()
    refused("tenantIDMismatch", red.verifyIDToken, red, outside)
  end)
end)
