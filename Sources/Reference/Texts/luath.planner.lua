local planner = require "luath.planner"

--- For luath's own library: outside of `luath batch plan` there are no rows.

---@return integer? number
---@return table? row
function planner.next()
  print(planner.next())
end

function planner.ready()
  planner.ready()
end

---@param row _ the row's number
---@param plan table what is to become of it
function planner.planned()
  planner.planned(1, { skip = true })
end

---@param name string the name of an argument
---@return boolean secret
function planner.isSecretName()
  print(planner.isSecretName "password")
end

---@param row _ the row that asks
---@param kind _ uid, email, phone or provider
---@param names _ the identifiers
---@param providerId _ the provider, when the kind is provider
---@return table[][] accounts
---@error notPlanning outside of `luath batch plan`
function planner.lookUp()
  local good, err = pcall(planner.lookUp, 1, "uid", { "ada" })
  print(good, err.code)
end
