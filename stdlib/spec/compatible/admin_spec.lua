local flows = require "support.flows"
local Admin = require "luath.admin"

local admin = Admin.admin()
local equal, refused = flows.equal, flows.refused

local oidc = {
  providerID = "oidc.peer", displayName = "Peer", enabled = true, clientID = "client",
  clientSecret = "a secret of the client", issuer = "http://127.0.0.1:9/oidc", responseType = { code = true },
}

describe("an administrator's providers", function()
  it("Firebase's emulator has no providers to configure", function()
    for _, try in ipairs {
      function() admin:createProviderConfig(oidc) end, function() admin:getProviderConfig "saml.peer" end,
      function() for _ in admin:listProviderConfigs { type = "known" } do end end,
    } do
      equal(refused("notImplemented", try).rawValue, 18111)
    end
  end)
end)
