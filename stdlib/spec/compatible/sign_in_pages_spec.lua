local flows = require "support.flows"
local Auth = require "luath.auth"
local ui = require "luath.ui"

describe("sign-in pages of identity providers", function()
  it("are left out by compatible rules, and the hint names the option", function()
    local auth <const> = Auth.auth()
    local ada <const> = ui.form { username = "ada@contoso.example", password = flows.password }
    for _, id in ipairs { "microsoft.com", "oidc.corp", "saml.corp" } do
      local err = flows.refused("notImplemented", auth.signIn, auth, Auth.OAuthProvider(id), ada)
      assert(err.hint:find("--rules production", 1, true), err.hint)
      assert(err.hint:find("luath exec", 1, true), err.hint)
    end
  end)
end)
