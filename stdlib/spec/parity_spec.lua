local flows = require "support.flows"
local admin = require "luath.admin"
local Auth = require "luath.auth"
local merge = require "luath.merge"
local totp = require "luath.totp"
local ui = require "luath.ui"

local auth = Auth.auth()
local refused = flows.refused
local provider = flows.provider


-- The table against what scripts have. `HouseTests` compares it with the tests.
local folder = debug.getinfo(1, "S").source:match "^@(.*/)" or ""

describe("the parity table", function()
  it("every function and field that a row names is there", function()
    local result = auth:signIn(provider("google.com", "ada@contoso.example"))
    -- No error has all fields of errors.
    local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth:session(),
      provider("microsoft.com", "ada@contoso.example"))
    err.resolver = "see the tests of second factors"
    local owners = {
      Auth = Auth, auth = auth, user = result.user, credential = result.credential, err = err,
      merge = merge, provider = Auth.OAuthProvider "google.com", result = result, totp = totp, ui = ui,
      Admin = admin, admin = admin.admin(),
    }
    local count = 0
    for line in io.lines(folder .. "../../docs/parity.md") do
      local cell = line:match "^| `.-|([^|]*)|[^|]*|$"
      if cell and not cell:find "^ nothing" then
        local named = false
        for name in cell:gmatch "`(.-)`" do
          local owner, members = name:match "^(%a+)[.:](.*)$"
          local value = owners[owner]
          assert(value ~= nil, name .. " belongs to nothing here")
          for member in members:gmatch "[%w_]+" do
            local holder = value
            value = holder[member] -- objects raise where there is no such member
            assert(value ~= nil or type(holder) == "userdata", name .. " is not there")
          end
          assert(not name:find ":" or type(value) == "function", name .. " is no function")
          count, named = count + 1, true
        end
        assert(named, "no function in: " .. line)
      end
    end
    assert(count > 90, count)
  end)
end)
