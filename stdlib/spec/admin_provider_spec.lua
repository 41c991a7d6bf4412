local flows = require "support.flows"
local Admin = require "luath.admin"
local Auth = require "luath.auth"

local admin, auth = Admin.admin(), Auth.auth()
local equal, mistake, refused, provider = flows.equal, flows.mistake, flows.refused, flows.provider

local oidc = {
  providerID = "oidc.peer", displayName = "Peer", enabled = true, clientID = "client",
  clientSecret = "a secret of the client", issuer = "http://127.0.0.1:9/oidc", responseType = { code = true },
}
local saml = {
  providerID = "saml.peer", displayName = "Peer", enabled = true, idpEntityID = "IDP",
  ssoURL = "https://saml.example.com/sso", x509Certificates = { "CERT1", "CERT2" }, rpEntityID = "RP",
  callbackURL = "https://demo.example.com/__/auth/handler", enableRequestSigning = true,
}

--- A copy of a table with changes.
local function copy(given, changes)
  local all = {}
  for name, value in pairs(given) do all[name] = value end
  for name, value in pairs(changes) do all[name] = value end
  return all
end

describe("an administrator's providers", function()
  it("an OpenID provider is made, read, changed and deleted", function()
    for _, made in ipairs { admin:createProviderConfig(oidc), admin:getProviderConfig "oidc.peer" } do
      equal(made.providerID, "oidc.peer")
      equal(made.displayName, "Peer")
      equal(made.enabled, true)
      equal(made.clientID, "client")
      equal(made.clientSecret, "a secret of the client")
      equal(made.issuer, "http://127.0.0.1:9/oidc")
      equal(made.responseType.code, true)
      equal(made.responseType.idToken, false)
    end
    local changed = admin:updateProviderConfig("oidc.peer", { enabled = false, clientId = "other" })
    equal(changed.enabled, false)
    equal(changed.clientID, "other")
    equal(changed.issuer, "http://127.0.0.1:9/oidc")
    changed = admin:updateProviderConfig("oidc.peer", { responseType = { idToken = true }, displayName = false })
    equal(changed.responseType.code, false)
    equal(changed.responseType.idToken, true)
    equal(changed.displayName, nil)
    equal(admin:updateProviderConfig("oidc.peer", {}).clientID, "other")
    refused("operationNotAllowed", auth.signIn, auth, Auth.OAuthProvider "oidc.peer")
    refused("configurationExists", admin.createProviderConfig, admin, oidc)
    admin:deleteProviderConfig "oidc.peer"
    local err = refused("configurationNotFound", admin.getProviderConfig, admin, "oidc.peer")
    assert(err.message:find("oidc.peer", 1, true), err.message)
    refused("configurationNotFound", admin.deleteProviderConfig, admin, "oidc.peer")
    refused("configurationNotFound", admin.updateProviderConfig, admin, "oidc.peer", { enabled = true })
  end)

  it("a SAML provider is made, read, changed and deleted", function()
    for _, made in ipairs { admin:createProviderConfig(saml), admin:getProviderConfig "saml.peer" } do
      equal(made.providerID, "saml.peer")
      equal(made.idpEntityID, "IDP")
      equal(made.rpEntityID, "RP")
      equal(made.ssoURL, "https://saml.example.com/sso")
      equal(made.callbackURL, "https://demo.example.com/__/auth/handler")
      equal(made.enableRequestSigning, true)
      equal(table.concat(made.x509Certificates, " "), "CERT1 CERT2")
    end
    local changed = admin:updateProviderConfig("saml.peer", { x509Certificates = { "CERT3" }, rpEntityId = "RP2" })
    equal(table.concat(changed.x509Certificates, " "), "CERT3")
    equal(changed.rpEntityID, "RP2")
    equal(changed.idpEntityID, "IDP")
    equal(changed.callbackURL, "https://demo.example.com/__/auth/handler")
    admin:deleteProviderConfig "saml.peer"
    refused("configurationNotFound", admin.getProviderConfig, admin, "saml.peer")
  end)

  it("a provider that Google knows needs a client only", function()
    local made = admin:createProviderConfig {
      providerId = "facebook.com", enabled = true, clientId = "app", clientSecret = "s",
    }
    equal(made.providerID, "facebook.com")
    equal(made.clientID, "app")
    equal(admin:updateProviderConfig("facebook.com", { enabled = false }).enabled, false)
    admin:deleteProviderConfig "facebook.com"
    equal(admin:updateProviderConfig("google.com", { enabled = false }).enabled, false)
    refused("operationNotAllowed", auth.signIn, auth, provider("google.com", "ada@contoso.example"))
  end)

  it("providers are listed by kind, and a tenant has its own", function()
    for number = 1, 3 do
      admin:createProviderConfig(copy(oidc, { providerID = "oidc.peer-" .. number }))
      admin:createProviderConfig(copy(saml, { providerID = "saml.peer-" .. number }))
    end
    local function ids(admin, kind, size)
      local found = {}
      for provider in admin:listProviderConfigs { type = kind, pageSize = size } do
        found[#found + 1] = provider.providerID
      end
      return table.concat(found, " ")
    end
    equal(ids(admin, "saml", 2), "saml.peer-1 saml.peer-2 saml.peer-3")
    equal(ids(admin, "saml"), ids(admin, "saml", 1))
    local known = "oidc.corp oidc.example-provider oidc.implicit oidc.peer-1 oidc.peer-2 oidc.peer-3"
    assert(ids(admin, "oidc", 2):find(known, 1, true), ids(admin, "oidc"))
    assert(ids(admin, "known"):find("google.com", 1, true))
    local tenant = admin:authForTenant(admin:createTenant({ displayName = "North" }).tenantID)
    equal(ids(tenant, "oidc"), "")
    equal(tenant:createProviderConfig(oidc).providerID, "oidc.peer")
    equal(ids(tenant, "oidc"), "oidc.peer")
    refused("configurationNotFound", admin.getProviderConfig, admin, "oidc.peer")
  end)

  it("what a provider lacks is named", function()
    local function wrong(given, changes, name)
      local err = refused("invalidProviderConfiguration", admin.createProviderConfig, admin, copy(given, changes))
      equal(err.serverName, name)
      assert(not tostring(err):find("a secret of", 1, true))
    end
    wrong(oidc, { issuer = false }, "MISSING_ISSUER")
    wrong(oidc, { clientID = false }, "MISSING_OAUTH_CLIENT_ID")
    wrong(oidc, { clientSecret = false }, "MISSING_OAUTH_CLIENT_SECRET")
    wrong(oidc, { responseType = { code = true, idToken = true } }, "INVALID_OAUTH_RESPONSETYPE")
    wrong(oidc, { providerID = "oidc." }, "INVALID_CONFIG_ID")
    wrong(saml, { idpEntityID = false }, "MISSING_SAML_RELYING_PARTY_CONFIG")
    wrong({}, { providerID = "unknown.example", clientID = "a", clientSecret = "b" }, "INVALID_CONFIG_ID")
    local mixed = copy(oidc, { ssoURL = "https://a.example" })
    local err = refused("invalidArgument", admin.createProviderConfig, admin, mixed)
    assert(err.message:find("ssoURL", 1, true), err.message)
    mistake("one providerID", admin.createProviderConfig, admin, { enabled = true })
    mistake("one providerID", admin.createProviderConfig, admin, { providerID = "oidc.a", providerId = "oidc.b" })
    mistake("no option", admin.createProviderConfig, admin, copy(oidc, { name = "x" }))
    mistake("type is one of oidc, saml, known", admin.listProviderConfigs, admin, { type = "OIDC" })
    mistake("bad argument", admin.listProviderConfigs, admin)
    for _, name in ipairs { "getProviderConfig", "deleteProviderConfig" } do
      refused("invalidArgument", admin[name], admin, "")
    end
  end)
end)
