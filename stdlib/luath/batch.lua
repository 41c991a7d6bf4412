--- Batches: many rows through one function, which plans what `luath batch run` carries out.
---
---     local batch = require "luath.batch"
---
---     return batch.define {
---       columns = { "uid", "microsoft_id" },
---       key = "uid",
---       plan = function(row, accounts)
---         local account = accounts:byUID(row.uid)
---         if not account then
---           return batch.refuse("userNotFound", "there is no such account")
---         end
---         return batch.link {
---           uid = account.uid, providerId = "microsoft.com", rawId = row.microsoft_id,
---         }
---       end,
---     }
local definition <const> = require "luath.batch.definition"
local operations <const> = require "luath.batch.operations"
local places <const> = require "luath.batch.places"
local survivor <const> = require "luath.batch.survivor"
local failures <const> = require "luath.journey.failures"
local planner <const> = require "luath.planner"

--- `args` has the arguments of the plan by name; `tenantID` is nil for the project itself.
local given <const> = planner.given or {}
local batch = { survivor = survivor, args = given.args or {}, tenantID = given.tenantID }

--- Describes a batch; the script returns the result.
---
---@param settings table `plan`, `key`, `columns`, `arguments`, `operations`, `oneAccountPerEmail`
---@return table
function batch.define(settings)
  return definition.new(settings)
end

--- Leaves a row out: nothing is to be done.
---
---@param reason? string why, for the plan and its summary
---@return table
function batch.skip(reason)
  return operations.verdict("skip", nil, reason)
end

--- Refuses a row: nothing can be done.
---
---@param code string a word that rows refused for the same cause share, such as `noSuchCustomer`
---@param message? string what is wrong with this row
---@return table
function batch.refuse(code, message)
  return operations.verdict("refuse", code, message)
end

--- A custom operation, which `operations` of the definition has under this name.
---
---@param name string
---@param arguments? table what `run`, `isDone` and `undo` get; `uid` names the account
---@return table
function batch.operation(name, arguments)
  return operations.custom(name, arguments)
end

for name in pairs(operations.fields) do
  batch[name] = function(settings)
    return operations.make(name, settings)
  end
end

--- The functions as scripts get them: when a call fails, its place is known.
local functions <const> = {}
for name, body in pairs(batch) do
  functions[name] = type(body) == "function" and places.watched(body) or nil
end

return setmetatable({}, {
  __index = function(_, key)
    local found = functions[key]
    if found then
      places.reach()
      return found
    end
    if key == "tenantID" then
      return batch.tenantID
    end
    return batch[key] or failures.refuse("luath.batch has no '%s'", tostring(key))
  end,
  __newindex = function(_, key)
    failures.refuse("luath.batch cannot be changed, and '%s' not be set", tostring(key))
  end,
  __pairs = function()
    return next, batch
  end,
})
