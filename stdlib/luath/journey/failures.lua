--- What went wrong, as a table that can leave the script: from whatever was raised.
local failures = {}

--- How many lines of a traceback are kept.
local DEPTH <const> = 24

local runner <const> = require "luath.runner"
local task <const> = require "luath.task"
local library <const> = require "luath.expect.library"
local globals <const> = require "luath.journey.globals"
local getmetatable = debug.getmetatable
local pack <const>, xpcall <const> = table.pack, xpcall

--- Whether a raised value is an assertion's: of luath.expect, or of busted's words.
function failures.isAssertion(err)
  local meta = type(err) == "table" and getmetatable(err)
  return meta and (meta.__name == "luath.Failure" or meta.__type == "failure") or false
end

-- With LUATH_STDLIB the library is files: whatever lies beside this one is not the script's.
local FOLDER <const> = debug.getinfo(1, "S").source:match "^(@.*/luath/)journey/failures%.lua$"

--- Whether a chunk is a file of luath's own library.
function failures.isLibrary(source)
  return source:sub(1, 7) == "=luath/" or FOLDER ~= nil and source:sub(1, #FOLDER) == FOLDER
end

--- How many calls are looked at: a stack that overflowed has very many.
local LEVELS <const> = 1000

--- The calls that led to the current place, outermost last, without luath's own.
---
---@return string[]
function failures.calls(level)
  local lines = {}
  level = level + 1
  local info = debug.getinfo(level, "Sln")
  while info and #lines < DEPTH and level < LEVELS do
    if info.what ~= "C" and not failures.isLibrary(info.source) then
      local name = info.what == "main" and "in the file"
        or info.name and ("in '%s'"):format(info.name)
        or ("in the function of line %d"):format(info.linedefined)
      lines[#lines + 1] = ("%s:%d: %s"):format(info.short_src, info.currentline, name)
    end
    level = level + 1
    info = debug.getinfo(level, "Sln")
  end
  return lines
end

--- The first place outside luath's library, from a level upwards: `file:line`, file and line.
function failures.place(level)
  level = level + 1
  local info = debug.getinfo(level, "Sl")
  while info and level < LEVELS do
    if info.what ~= "C" and info.currentline > 0 and not failures.isLibrary(info.source) then
      local file = info.source:gsub("^[@=]", "")
      return ("%s:%d"):format(file, info.currentline), file, info.currentline
    end
    level = level + 1
    info = debug.getinfo(level, "Sl")
  end
end

--- Raises a mistake of the script, with the place where it called luath.
function failures.refuse(message, ...)
  local place = failures.place(2)
  error(("%s%s"):format(place and place .. ": " or "", message:format(...)), 0)
end

--- Copies the variables of the place of a failure; nil unless the run pauses at failures.
failures.capture = nil

--- The variables of the place of each failure, and of values that fixtures raised.
failures.frames = setmetatable({}, { __mode = "k" })

--- Takes down where something was raised; the message handler of every protected call.
function failures.catch(err)
  globals.mend()
  library.borrow()
  if type(err) == "table" and rawget(err, failures) then
    return err
  end
  return {
    [failures] = true, err = err, calls = failures.calls(2), where = failures.place(2),
    frame = failures.capture and failures.capture(2),
  }
end

--- Calls a function; gives true and what it gives, or false and what was taken down.
---
--- It finds Lua's library as scripts have made it; who called has it as it was in the beginning.
function failures.call(f, ...)
  library.giveBack()
  local results = pack(xpcall(f, failures.catch, ...))
  library.borrow()
  local caught = results[2]
  if not results[1] and not (type(caught) == "table" and rawget(caught, failures)) then
    -- Lua calls no handler where memory or the stack is at its end.
    results = { false, { [failures] = true, err = caught, calls = {} }, n = 2 }
  end
  return table.unpack(results, 1, results.n)
end

--- Calls a function as `call` does, with a time limit in seconds.
---
--- What it raises is taken down in the coroutine of its own in which it runs, with `isOwn`; the end
--- of its time has no such mark.
function failures.timed(limit, f, ...)
  return failures.call(task.timeout, limit, function(...)
    local results = pack(failures.call(f, ...))
    if results[1] then
      return table.unpack(results, 2, results.n)
    end
    results[2].isOwn = true
    error(results[2], 0)
  end, ...)
end

--- Records the open pages, if the run wants that; what goes wrong with it is no failure.
---
---@param name string what the reports call it
---@param reason string "failure" or "step"
function failures.record(name, reason)
  if runner.records(reason) then
    failures.call(runner.record, name, reason)
  end
end

--- The fixtures that tables were raised in first.
local origins <const> = setmetatable({}, { __mode = "k" })

--- Puts the name of a fixture to what its function raised; that of the innermost one stays.
---
---@return any err to be raised instead
function failures.within(fixture, err)
  if type(err) == "table" then
    if not failures.verdict(err) then
      origins[err] = origins[err] or tostring(fixture)
    end
  elseif type(err) == "string" and not err:find "fixture '[^\n]*': "
    and err ~= "not enough memory"
  then
    local place, message = err:match "^([^\n]-:%d+: )(.*)$"
    return ("%s%s: %s"):format(place or "", tostring(fixture), message or err)
  end
  return err
end

--- A message with the name of the fixture that the value was raised in.
local function named(err, message)
  local fixture = type(err) == "table" and origins[err]
  if fixture and message:sub(1, #fixture) ~= fixture then
    return ("%s: %s"):format(fixture, message)
  end
  return message
end

--- Puts failures behind those of a list; gives the list.
function failures.append(list, more)
  return table.move(more, 1, #more, #list + 1, list)
end

--- Where soft failures of the journey that runs are kept until they are told; nil when none runs.
failures.kept = nil

--- Keeps failures that do not end the journey.
function failures.keep(list)
  for _, failure in ipairs(list or {}) do
    table.insert(failures.kept, failure)
  end
end

--- The failures that were kept after so many.
function failures.keptAfter(count)
  local list = failures.kept and table.move(failures.kept, count + 1, #failures.kept, 1, {}) or {}
  return #list > 0 and list or nil
end

--- What the host adds to a table that it hands from one task to another.
local ADDED <const> = { where = true, traceback = true }

--- The fields of a table that has no text of its own, as far as a line goes.
local function fields(value)
  local parts = {}
  for key, field in next, value do
    if ADDED[key] then
      goto continue
    elseif #parts == 8 then
      parts[9] = "…"
      break
    end
    local shown = type(field) == "string" and ("%q"):format(field) or tostring(field)
    parts[#parts + 1] = math.type(key) and shown or ("%s = %s"):format(tostring(key), shown)
    ::continue::
  end
  return #parts > 0 and ("{ %s }"):format(table.concat(parts, ", ")) or "{}"
end

--- The text of any value, even of one whose `__tostring` fails.
local function text(value)
  local meta = debug.getmetatable(value)
  local isPlain = type(value) == "table" and not (meta and (meta.__tostring or meta.__name))
  local good, printed = pcall(isPlain and fields or tostring, value)
  return good and printed or "a value that cannot be printed"
end

local function plain(value)
  if value == nil or type(value) == "string" then
    return value
  end
  return text(value)
end

local function lines(value)
  if type(value) == "table" then
    return value
  end
  local list = {}
  for line in (type(value) == "string" and value or ""):gmatch "[^\n]+" do
    list[#list + 1] = line
  end
  return list
end

--- Whether a table has neither a message nor a text.
local function isMute(err)
  local meta = debug.getmetatable(err)
  return err.message == nil and not (meta and (meta.__tostring or meta.__name))
end

local function ofTable(err, made)
  made.message = plain(err.message) or text(err)
  made.code = plain(err.code)
  made.hint = plain(err.hint)
  if isMute(err) then
    made.code = type(err.code) == "string" and err.code or nil
    made.hint = made.hint or "the error is a table without a message: "
      .. "raise a text, or a table with a message: error { message = … }"
  end
  -- The host skips the library that it carries, but not the files of LUATH_STDLIB.
  if type(err.where) == "string" and not failures.isLibrary("@" .. err.where) then
    made.where = err.where
  end
  if failures.isAssertion(err) then
    made.kind = "assertion"
    made.expected, made.actual = plain(err.expected), plain(err.actual)
    made.expression = plain(err.expression)
    made.diff = lines(err.diff)
  end
end

--- Raised by `pending`, `j:pending` and `j:skip`.
failures.Verdict = {
  __name = "luath.Verdict",
  __tostring = function(self)
    return self.reason or self.state
  end,
}

--- The verdict that a raised value stands for, if it is one.
function failures.verdict(err)
  return type(err) == "table" and debug.getmetatable(err) == failures.Verdict and err or nil
end

--- Makes a failure of what `catch` gave.
---
---@param caught table
---@param hook? string the hook or fixture in which it happened; nil in a journey's body
---@param steps? string[] names of the steps around it, outermost first
function failures.make(caught, hook, steps)
  local err = caught.err
  local made = {
    kind = "error", where = caught.where, steps = steps or {},
    traceback = "stack traceback:\n\t" .. table.concat(caught.calls, "\n\t"),
  }
  local kind = type(err)
  if failures.verdict(err) then
    made.message = ("'%s' comes too late: the journey is over"):format(
      err.state == "skipped" and "skip" or "pending")
    made.hint = "call it in the journey's function or in beforeEach"
  elseif kind == "table" then
    ofTable(err, made)
  elseif err == "not enough memory" then
    made.kind, made.message = "stopped", "the journey took more memory than --memory allows"
    made.hint = "raise --memory, or look for a table that grows without end"
  elseif kind == "string" then
    local place, message = err:match "^([^\n]-:%d+): (.*)$"
    made.message = message or err
    -- What luassert's own files raise is a mistake of the call in the script.
    if place and not place:find("luath/debian/", 1, true) then
      made.where = place
    end
  elseif err == nil then
    made.message = "an error without a message: error(nil)"
  else
    made.message = text(err)
  end
  if made.message == "" then
    made.message = "an error without words"
  end
  made.message = named(err, made.message)
  if hook then
    made.kind = "hook"
    made.message = ("%s: %s"):format(hook, made.message)
  end
  failures.frames[made] = err ~= nil and failures.frames[err] or caught.frame
  return made
end

return failures
