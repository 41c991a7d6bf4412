--- What the tests of the table of errors share.
local flows = require "support.flows"
local Auth = require "luath.auth"

local errors = {}

--- Checks that an error object has all its fields, and these values in them.
function errors.whole(err, number, name, webCode)
  flows.equal(err.rawValue, number)
  flows.equal(err.name, name)
  flows.equal(err.webCode, webCode)
  flows.equal(Auth.ErrorCode[err.code], err.code)
  assert(err.hint:find " " and not err.hint:find "[\n\r]", err.hint)
  assert(type(err.verifiedProviders) == "table" and err.verifiedProviders.contains)
  assert(err.where:find ":%d+$" and tostring(err):find(err.hint, 1, true))
end

return errors
