local PAGES = { PAGES() }
local problems = {}
local function note(...) problems[#problems + 1] = (...):format(select(2, ...)) end

for module, names in pairs(PAGES) do
  local table_, known = require(module), {}
  for _, name in ipairs(names) do
    known[name] = true
    local value = table_
    local good = pcall(function()
      for word in name:gmatch "[^.]+" do
        known[word] = known[word] or "part"
        value = value[word]
      end
    end)
    -- The origin of an emulator is there on an emulator alone, as here.
    -- The tenant of a batch is there only for the script of a plan with one.
    local isOptional = module == "luath.batch" and name == "tenantID"
    if not good or value == nil and not isOptional then note("%s has no %s", module, name) end
  end
  for name, value in pairs(table_) do
    if not known[name] then note("%s.%s is not in the reference", module, name) end
    if known[name] == "part" and type(value) == "table" then
      for part in pairs(value) do
        if not known[name .. "." .. part] and not known[name .. ".custom"] then
          note("%s.%s.%s is not in the reference", module, name, part)
        end
      end
    end
  end
end
for _, list in ipairs { "checks", "own" } do
  for name in pairs(require("luath.expect." .. list)) do
    local isKnown = false
    for _, known in ipairs(PAGES["luath.expect"]) do isKnown = isKnown or known == name end
    if not isKnown then note("the check %s is not in the reference", name) end
  end
end
table.sort(problems)
print(table.concat(problems, "\n"))
