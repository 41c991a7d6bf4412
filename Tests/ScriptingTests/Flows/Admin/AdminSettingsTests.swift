@testable import Emulator
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminSettingsTests {
  private func run(
    _ rules: Rules, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await Flow(runner: ScriptRunner(rules: rules)).run(
      "local admin = admin.admin()\n" + text, sourceLocation: sourceLocation)
  }

  @Test(arguments: [Rules.production, .compatible])
  func `a tenant is made, read, changed and deleted`(rules: Rules) async throws {
    try await run(
      rules,
      """
      local made = admin:createTenant {
        displayName = "Crimson", emailSignInConfig = { enabled = true, passwordRequired = false },
        multiFactorConfig = { state = "ENABLED", factorIDs = { "phone" } },
      }
      equal(made.displayName, "Crimson")
      equal(made.emailSignInConfig.enabled, true)
      equal(made.emailSignInConfig.passwordRequired, false)
      equal(made.anonymousSignInEnabled, false)
      equal(made.multiFactorConfig.state, "ENABLED")
      equal(made.multiFactorConfig.factorIDs[1], "phone")
      local id = made.tenantID
      equal(admin:getTenant(id).displayName, "Crimson")
      local changed = admin:updateTenant(id, { anonymousSignInEnabled = true, emailSignInConfig = { passwordRequired = true } })
      equal(changed.displayName, "Crimson")
      equal(changed.anonymousSignInEnabled, true)
      equal(changed.emailSignInConfig.enabled, true)
      equal(changed.emailSignInConfig.passwordRequired, true)
      equal(changed.multiFactorConfig.state, "ENABLED")
      equal(admin:updateTenant(id, {}).displayName, "Crimson")
      changed = admin:updateTenant(id, { multiFactorConfig = { factorIDs = false } })
      equal(#(changed.multiFactorConfig.factorIDs or {}), 0)
      equal(changed.multiFactorConfig.state, "ENABLED")
      -- It is in force.
      auth.tenantID = id
      equal(auth:signInAnonymously().user.tenantID, id)
      admin:deleteTenant(id)
      for tenant in admin:listTenants() do assert(tenant.tenantID ~= id) end
      """)
  }

  @Test(arguments: [Rules.production, .compatible])
  func `tenants are listed page by page`(rules: Rules) async throws {
    try await run(
      rules,
      """
      local made = {}
      for number = 1, 5 do made[admin:createTenant { displayName = "Tenant-" .. number }.tenantID] = true end
      for _, size in ipairs { 1, 2, 5, 1000 } do
        local count = 0
        for tenant in admin:listTenants { pageSize = size } do
          assert(made[tenant.tenantID], tenant.tenantID)
          count = count + 1
        end
        equal(count, 5)
      end
      local next, list = admin:listTenants { pageSize = 2 }
      equal(tostring(next):match "^function", "function")
      assert(list:next().tenantID ~= list:next().tenantID)
      refused("invalidArgument", admin.listTenants, admin, { pageSize = 0 })
      refused("invalidArgument", admin.listTenants, admin, { pageSize = 1001 })
      mistake("no option", admin.listTenants, admin, { maxResults = 5 })
      -- Several tasks take turns.
      local _, shared = admin:listTenants { pageSize = 2 }
      local seen = {}
      local function walk() for tenant in shared.next, shared do seen[#seen + 1] = tenant.tenantID end end
      task.all { walk, walk, walk }
      table.sort(seen)
      equal(#seen, 5)
      for index = 2, 5 do assert(seen[index - 1] ~= seen[index]) end
      """)
  }

  @Test func `all settings of a tenant go there and come back`() async throws {
    try await run(
      .production,
      """
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
      """)
  }

  @Test func `a wrong setting is named`() async throws {
    try await run(
      .production,
      """
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
        for _, name in ipairs { "getTenant", "deleteTenant", "authForTenant", "getProviderConfig", "deleteProviderConfig" } do
          refused("invalidArgument", admin[name], admin, id)
        end
        refused("invalidArgument", require "luath.admin".admin, { tenantID = id })
      end
      refused("invalidTenantID", admin.getTenant, admin, "nowhere")
      refused("invalidTenantID", admin.updateTenant, admin, "nowhere", { displayName = "Crimson" })
      admin:updateProjectConfig { multiTenant = { allowTenants = false } }
      refused("configurationNotFound", admin.createTenant, admin, { displayName = "Crimson" })
      """)
  }

  @Test(arguments: [Rules.production, .compatible])
  func `the project's settings change one by one`(rules: Rules) async throws {
    try await run(
      rules,
      """
      local before = admin:getProjectConfig()
      equal(before.signIn.allowDuplicateEmails, false)
      local after = admin:updateProjectConfig { signIn = { allowDuplicateEmails = true } }
      equal(after.signIn.allowDuplicateEmails, true)
      equal(after.emailPrivacyConfig.enableImprovedEmailPrivacy, before.emailPrivacyConfig.enableImprovedEmailPrivacy)
      after = admin:updateProjectConfig { emailPrivacyConfig = { enableImprovedEmailPrivacy = false } }
      equal(after.signIn.allowDuplicateEmails, true)
      equal(after.emailPrivacyConfig.enableImprovedEmailPrivacy, false)
      equal(admin:updateProjectConfig({}).signIn.allowDuplicateEmails, true)
      equal(admin:getProjectConfig().signIn.allowDuplicateEmails, true)
      mistake("no option", admin.updateProjectConfig, admin, { signin = {} })
      """)
  }

  @Test func `the project says how it hashes passwords, as an import is told`() async throws {
    try await run(
      .production,
      """
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
      """)
  }

  @Test func `the project's settings are in force`() async throws {
    try await run(
      .production,
      """
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
      """)
  }
}
