-- Replaces `require` by one that can wait: a module's top level may call what waits, and while it
-- does, other tasks go on. Also ends `os.exit` through the host, so that nothing is left running.
local native = ...
local loaded, searchers = package.loaded, package.searchers
local loading = {}
local entry, getinfo, setupvalue = native.entry, debug.getinfo, debug.setupvalue
-- Kept here, as a script may have put others in their place.
local type, error, ipairs, pairs, pcall, rawset, setmetatable =
  type, error, ipairs, pairs, pcall, rawset, setmetatable
local coroutine, table = coroutine, table

--- The globals of the library's own modules: a script may have a variable called `type` or `table`.
local own = setmetatable({}, { __index = _G })

--- Raises with the place of the innermost function that is not of the library.
local function fail(message, ...)
  local level = 2
  local info = getinfo(level, "Sl")
  while info and (info.currentline <= 0 or info.source:sub(1, 7) == "=luath/") do
    level = level + 1
    info = getinfo(level, "Sl")
  end
  local place = info and ("%s:%d: "):format(info.short_src, info.currentline) or ""
  error(place .. message:format(...), 0)
end

table.insert(searchers, 2, function(name)
  local module = native.module(name)
  if module ~= nil then
    return function()
      return module
    end, "luath"
  end
  local loader, chunk = native.source(name)
  if loader then
    -- The first upvalue of a chunk is its `_ENV` (manual 4.4, lua_load).
    setupvalue(loader, 1, own)
    return loader, chunk
  end
  return ("no module '%s' in luath"):format(name)
end)

--- Raises for a module that no searcher found; names the one that was meant, or the places that were searched.
local function failMissing(name)
  local near = native.nearest(name)
  if near then
    fail("module '%s' not found; did you mean '%s'?", name, near)
  end
  local path = name:gsub("%.", "/")
  local folder = package.path:match "^([^;?]*)/%?" or "."
  fail(
    "module '%s' not found: there is no %s.lua and no %s/init.lua in '%s' or in another folder of package.path",
    name, path, path, folder
  )
end

local function find(name)
  for _, searcher in ipairs(searchers) do
    local good, loader, extra = pcall(searcher, name)
    if not good then
      -- A file that does not compile: its own place counts, not this one.
      if type(loader) == "string" then
        local advice = native.advice(loader)
        loader = loader:gsub("^luath/[^:]*:%d+: ", "") .. (advice and (" (%s)"):format(advice) or "")
      end
      error(loader, 0)
    end
    if type(loader) == "function" then
      local mistake = type(extra) == "string" and native.mistake(extra)
      if mistake then
        error(mistake, 0)
      end
      return loader, extra
    end
  end
  failMissing(name)
end

require = entry(function(name)
  if type(name) ~= "string" then
    local given = name == nil and "no value" or type(name)
    fail("bad argument #1 to 'require' (string expected, got %s)", given)
  end
  if loaded[name] ~= nil then
    return loaded[name]
  end
  local task = coroutine.running()
  while loading[name] and coroutine.status(loading[name]) ~= "dead" do
    if loading[name] == task then
      fail("module '%s' requires itself", name)
    end
    native.pause()
    if loaded[name] ~= nil then
      return loaded[name]
    end
  end
  local loader, extra = find(name)
  loading[name] = task
  -- No pcall: an error goes on with the calls that led to it.
  local ending <close> = setmetatable({}, {
    __close = function()
      loading[name] = nil
    end,
  })
  local value = loader(name, extra)
  if value ~= nil then
    loaded[name] = value
  elseif loaded[name] == nil then
    loaded[name] = true
  end
  return loaded[name], extra
end)

os.exit = native.exit

for name, value in pairs(_G) do
  rawset(own, name, value)
end

--- What only library modules have: `entry(f)` puts a function that scripts call behind a C function.
--- So `return expect.equal(…)`, a tail call, does not drop the frame with the line of the check.
own.entry = entry

--- What only library modules have: `entries(t)` does so with all functions of a table; gives it back.
function own.entries(functions)
  for name, value in pairs(functions) do
    if type(value) == "function" then
      functions[name] = entry(value)
    end
  end
  return functions
end
