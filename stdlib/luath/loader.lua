-- Replaces `require` by one that can wait: a module's top level may call what waits, and while it
-- does, other tasks go on. Also ends `os.exit` through the host, so that nothing is left running.
local native = ...
local loaded, searchers = package.loaded, package.searchers
local loading = {}

table.insert(searchers, 2, function(name)
  local module = native.module(name)
  if module ~= nil then
    return function()
      return module
    end, "luath"
  end
  local loader, chunk = native.source(name)
  if loader then
    return loader, chunk
  end
  return ("no module '%s' in luath"):format(name)
end)

local function find(name)
  local reasons = {}
  for _, searcher in ipairs(searchers) do
    local loader, extra = searcher(name)
    if type(loader) == "function" then
      return loader, extra
    elseif loader then
      reasons[#reasons + 1] = "\n\t" .. tostring(loader):gsub("^\n\t", "")
    end
  end
  error(("module '%s' not found:%s"):format(name, table.concat(reasons)), 3)
end

function require(name)
  if type(name) ~= "string" then
    local given = name == nil and "no value" or type(name)
    error(("bad argument #1 to 'require' (string expected, got %s)"):format(given), 2)
  end
  if loaded[name] ~= nil then
    return loaded[name]
  end
  local task = coroutine.running()
  while loading[name] do
    if loading[name] == task then
      error(("module '%s' requires itself"):format(name), 2)
    end
    native.pause()
    if loaded[name] ~= nil then
      return loaded[name]
    end
  end
  local loader, extra = find(name)
  loading[name] = task
  local good, value = pcall(loader, name, extra)
  loading[name] = nil
  if not good then
    if type(value) == "string" then
      value = ("error loading module '%s':\n\t%s"):format(name, value)
    end
    error(value, 0)
  end
  if value ~= nil then
    loaded[name] = value
  elseif loaded[name] == nil then
    loaded[name] = true
  end
  return loaded[name], extra
end

os.exit = native.exit
