local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local json = require "luath.json"
local merge = require "luath.merge"

local auth = Auth.auth()
local equal = flows.equal


local function text(list)
  return table.concat(list, " ")
end

describe("luath.merge", function()
  for _, isProtected in ipairs { true, false } do
    describe(isProtected and "with enumeration protection" or "without enumeration protection", function()
      before_each(function()
        emulator.configure { enumerationProtection = isProtected }
      end)

      it("Firebase's emulator merges too, though it has no pending tokens", function()
        local ada = auth:createUser("ada@contoso.example", "correct horse").user.uid
        auth:signOut()
        local credential = Auth.GitHubAuthProvider.credential(json.encode {
          sub = "g1", email = "ada@contoso.example", email_verified = false })
        local result = merge.signIn(auth, credential, { prove = merge.password "correct horse" })
        equal(result.user.uid, ada)
        equal(text(result.linked), "github.com")
        equal(text(result.providers), "github.com password")
        equal(auth:signIn(credential).user.uid, ada)
      end)
    end)
  end
end)
