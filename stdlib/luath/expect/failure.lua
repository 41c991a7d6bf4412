--- What a check that fails raises, or keeps when it is a soft one.
---
--- A failure is a table with `assertion = true`, `message`, `expected` and `actual` (in words),
--- `diff` (lines), `expression` (the source of the call), `hint`, `where` and `traceback`.
local failure = {}

local kinds <const> = require "luath.expect.kinds"

local metatable <const> = { __name = "luath.Failure" }
local running <const> = coroutine.running

--- How many lines of source one call may have.
local CALL_LINES <const> = 12

-- The library's own frames are never what a failure is about. Its files may stand in a folder.
local LIBRARY <const> = debug.getinfo(1, "S").source:gsub("luath/expect/failure%.lua$", "")

--- The tries that coroutines are in: lists of soft failures, with how many checks `passed`.
local within <const> = setmetatable({}, { __mode = "k" })

function metatable.__tostring(raised)
  local place <const> = raised.where and raised.where .. ": " or ""
  local lines <const> = { place .. tostring(raised.message) }
  if raised.isBrief then
    return lines[1]
  end
  if raised.expression then
    lines[#lines + 1] = "  " .. raised.expression
  end
  if raised.diff then
    for _, line in ipairs(raised.diff) do
      lines[#lines + 1] = "  " .. line
    end
  elseif raised.expected then
    lines[#lines + 1] = "  expected: " .. raised.expected
    lines[#lines + 1] = "  actual:   " .. tostring(raised.actual)
  end
  if raised.hint then
    lines[#lines + 1] = "  hint: " .. raised.hint
  end
  return table.concat(lines, "\n")
end

--- Whether a frame is C's or the library's, of which LUATH_STDLIB may replace a part.
function failure.isOwn(info)
  return info.currentline <= 0
    or info.source:sub(1, #LIBRARY) == LIBRARY
    or info.source:sub(1, 7) == "=luath/"
end
local isOwn <const> = failure.isOwn

local sources <const> = setmetatable({}, { __mode = "v" })

--- The lines of a script's file, or nil when it cannot be read.
local function linesOf(source)
  local path <const> = source:match "^@(.+)$"
  if not path then
    return nil
  elseif not sources[path] then
    local file <const> = io.open(path, "r")
    if not file then
      return nil
    end
    local lines <const> = {}
    for line in file:lines() do
      lines[#lines + 1] = line
    end
    file:close()
    sources[path] = lines
  end
  return sources[path]
end

--- How many brackets a line leaves open; what is in strings and comments does not count.
local function opened(line)
  local bare <const> = line
    :gsub("\\.", "")
    :gsub("\"[^\"]*\"", "")
    :gsub("'[^']*'", "")
    :gsub("%-%-.*$", "")
  local _, opening <const> = bare:gsub("[%(%[{]", "")
  local _, closing <const> = bare:gsub("[%)%]}]", "")
  local _, functions <const> = bare:gsub("%f[%w_]function%f[^%w_]", "")
  local _, ends <const> = bare:gsub("%f[%w_]end%f[^%w_]", "")
  return opening - closing, functions - ends
end

--- The source of the call that begins on a line.
local function expression(source, first)
  local lines <const> = linesOf(source)
  if not lines or not lines[first] then
    return nil
  end
  local taken <const>, brackets = {}, 0
  for index = first, math.min(first + CALL_LINES - 1, #lines) do
    taken[#taken + 1] = lines[index]:match "^%s*(.-)%s*$"
    brackets = brackets + opened(lines[index])
    if brackets <= 0 then
      break
    end
  end
  return brackets > 0 and taken[1] .. " …" or table.concat(taken, " ")
end

--- The calls of scripts that led here, without the library's.
local function traceback()
  local kept <const> = {}
  local prefix <const> = "\t" .. LIBRARY:sub(2)
  local isLibrary = false
  for line in debug.traceback("", 2):gmatch "[^\n]+" do
    -- With the entries through which scripts call the library.
    isLibrary = line:sub(1, #prefix) == prefix
      or isLibrary and line:find "^\t[%[%(][C.]" ~= nil
    if not isLibrary and not line:find "^\t%.%.%.\t" and line ~= "\t[C]: in ?" then
      kept[#kept + 1] = line
    end
  end
  return table.concat(kept, "\n")
end

--- The innermost call that a script made. It is there although the script may return what the check
--- returns: scripts reach checks through entries (`entry` in luath.loader).
local function place(outwards)
  local level = 3
  local info = debug.getinfo(level, "Sl")
  while info and (isOwn(info) or outwards > 0) do
    outwards = isOwn(info) and outwards or outwards - 1
    level = level + 1
    info = debug.getinfo(level, "Sl")
  end
  return info
end

--- A place in words. Lua's own short names leave out the beginning of long paths.
local function named(info)
  local path <const> = info.source:match "^[@=](.+)$" or info.short_src
  return ("%s:%d"):format(path, info.currentline)
end

--- Raises a mistake of the script, with the place of its call as Lua's own messages have it.
---
---@param words string
---@param ... any what `words` is formatted with
function failure.refuse(words, ...)
  local info <const> = place(0)
  error((info and named(info) .. ": " or "") .. words:format(...), 0)
end

--- Makes a failure of its fields, with the place of the script's call.
---
---@param fields table
---@param outwards? integer how many calls of the script further out it is
---@return table
function failure.make(fields, outwards)
  local info <const> = place(outwards or 0)
  fields.assertion = true
  if info then
    fields.where = named(info)
    fields.expression = expression(info.source, info.currentline)
  end
  fields.traceback = traceback()
  return setmetatable(fields, metatable)
end

--- Whether a raised value is a check's failure.
---
---@param raised any
---@return boolean
function failure.is(raised)
  -- By name: a spec that is insulated has a copy of this module of its own.
  return type(raised) == "table" and kinds.name(raised) == metatable.__name
end

--- Calls a function; returns its soft failures, which the journey does not get, as a list.
---
---@param f function
---@return table tried the list, with `outcome` (the packed results of pcall) and `passed`
function failure.within(f)
  local task <const> = running()
  local outer <const>, tried <const> = within[task], { passed = 0 }
  within[task] = tried
  tried.outcome = table.pack(pcall(f))
  within[task] = outer
  return tried
end

--- Whether a function that is tried again makes the call.
---
---@return boolean
function failure.isTried()
  return within[running()] ~= nil
end

--- Counts a check that passed, for the try that it is in.
function failure.pass()
  local tried <const> = within[running()]
  if tried then
    tried.passed = tried.passed + 1
  end
end

--- Keeps a soft failure for the journey that runs; raises it when there is none to report it.
---
---@param raised table
function failure.keep(raised)
  raised.soft = true
  local list <const> = within[running()]
  if list then
    list[#list + 1] = raised
    return
  end
  -- Only luath test has loaded it.
  local engine <const> = package.loaded["luath.journey.engine"]
  if not engine or not engine.soft(raised) then
    error(raised, 0)
  end
end

return failure
