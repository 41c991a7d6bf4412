local host = require "luath.host"

---@field version string the version of luath
---@field projectID string the id of the project that the run's target has
---@field isEmulated boolean whether the target is an emulated project

---@param name _ the variable's name
---@return string value
---@error missingSecret when the variable is not set, or empty
function host.secret()
  local good, err = pcall(host.secret, "A_PASSWORD_NOBODY_SET")
  print(good, err.code)
  assert(err.code == "missingSecret")
end

---@param name _ the variable's name
---@return string? value
function host.env()
  local language = host.env "LANG" or "C"
  print(language)
end
