--- Writes with luath.admin what the checks read with Google's SDK; prints what it is known by.
---
--- Usage: luath run write.lua -- RULES

local Admin <const> = require "luath.admin"
local Auth <const> = require "luath.auth"
local json <const> = require "luath.json"

local admin <const> = Admin.admin()
local auth <const> = Auth.auth()
local told <const> = {}

local user <const> = auth:signInWithCustomToken(
  admin:createCustomToken("written by luath", { plan = "gold" })).user
told.idToken = user:getIDToken()
told.cookie = admin:createSessionCookie(told.idToken, { expiresIn = 3600 })

told.tenant = admin:createTenant({
  displayName = "written", emailSignInConfig = { enabled = true, passwordRequired = true },
}).tenantID
admin:updateTenant(told.tenant, { displayName = "rewritten" })
local tenant <const> = admin:authForTenant(told.tenant)
auth.tenantID = told.tenant
told.tenantToken = auth:signInWithCustomToken(tenant:createCustomToken "inside").user:getIDToken()

if arg[1] == "production" then
  admin:createProviderConfig {
    providerID = "oidc.written", displayName = "Written", enabled = true, clientID = "client",
    clientSecret = "secret", issuer = "https://oidc.example.com", responseType = { code = true },
  }
  admin:createProviderConfig {
    providerID = "saml.written", enabled = true, idpEntityID = "IDP", rpEntityID = "RP",
    ssoURL = "https://saml.example.com/sso", x509Certificates = { "one", "two" },
    callbackURL = "https://demo.example.com/__/auth/handler",
  }
  admin:updateProviderConfig("saml.written", { displayName = "Rewritten" })
end

print(json.encode(told))
