--- A session at the prompt: its variables, its results, and the names it begins with.
local session = {}

local names <const> = require "luath.prompt.names"

--- The rest of the library, which needs this module.
local expectation, show

-- Kept here, as the session may put others in their place.
local error, getmetatable, ipairs, load, next, pcall, rawset, require, select, table, type =
  error, debug.getmetatable, ipairs, load, next, pcall, rawset, require, select, table, type
local running <const> = coroutine.running
local getupvalue <const>, upvaluejoin <const> = debug.getupvalue, debug.upvaluejoin
local G <const> = _G

--- How many results are kept under names of their own.
local RESULTS <const> = 200

--- Where each variable of the session is: an upvalue of a function.
session.variables = {}

--- What `<close>` variables hold, in the order in which they were declared.
local closing <const> = {}

--- The upvalue of a function that has a name; nil when it has none, as with a constant that is
--- known when it is compiled.
local function find(f, name)
  for index = 1, 255 do
    local found <const> = getupvalue(f, index)
    if found == name then
      return index
    elseif not found then
      return nil
    end
  end
end

local function box(value)
  return function()
    return value
  end
end

--- Takes over the variables of one declaration.
local function keep(declaration, f)
  for position, name in ipairs(declaration.names) do
    local index, owner = find(f, name), f
    if not index then
      owner, index = box((select(position, f()))), 1
    end
    if name == declaration.closing then
      local _, value = getupvalue(owner, index)
      local metatable <const> = getmetatable(value)
      if value and not (type(metatable) == "table" and metatable.__close) then
        -- What Lua says of it (lfunc.c, checkclosemth).
        error(("variable '%s' got a non-closable value"):format(name), 3)
      elseif value then
        closing[#closing + 1] = { value = value, metatable = metatable }
      end
    end
    session.variables[name] = {
      owner = owner, index = index, isConstant = declaration.constants[position],
    }
  end
end

--- The values as they are: a text that is an expression calls this with them, so that its last call
--- is no tail call, and errors in it find the text's line.
local function pass(...)
  return ...
end

--- The results of the current entry.
local last = table.pack()

--- The last results, which `.show` prints.
local results = table.pack()

--- Runs an entry; returns what to print of its results.
---
---@param spec table `source`, `chunk`, `number`, `isWhole`, and what the host knows of its
--- variables
function session.run(spec)
  local outer <const>, problem <const> = load(spec.source, spec.chunk, "t")
  if not outer then
    -- It names the text's own place.
    error(problem, 0)
  end
  local f <const> = outer(spec.isExpression and pass or function(index, sees)
    keep(spec.kept[index], sees)
  end)
  for _, name in ipairs(spec.names) do
    local index <const> = find(f, name)
    local variable <const> = session.variables[name]
    if index and variable then
      upvaluejoin(f, index, variable.owner, variable.index)
    end
  end
  if session.pause then
    session.pause.refresh()
  end
  names.thread = running()
  last = table.pack(f())
  if session.pause then
    session.pause.assign()
  end
  if last.n == 0 then
    return { count = 0 }
  end
  results = last
  G._ = last[1]
  rawset(G, "_" .. spec.number, last[1])
  if spec.number > RESULTS then
    rawset(G, "_" .. spec.number - RESULTS, nil)
  end
  local expected <const> = {}
  for index = 1, last.n do
    local source <const>, isExact <const> = expectation.of(last[index], spec.isComputed)
    expected[index] = { source = source, isExact = isExact }
  end
  local texts <const>, isCut <const> = show.all(last, spec.columns, spec.isWhole)
  if isCut and names.isShared then
    texts[#texts + 1] = "(shortened; .show prints all of it)"
  end
  return { count = last.n, expected = expected, texts = texts }
end

--- The last results in full.
function session.whole(columns)
  return { texts = (show.all(results, columns, true)) }
end

--- The variables among some names; true for constants. Others are of no interest to a text, and
--- there may be thousands.
function session.known(asked)
  local known <const> = {}
  for _, name in ipairs(asked) do
    local variable <const> = session.variables[name]
    if variable then
      known[name] = variable.isConstant
    end
  end
  return known
end

--- Keeps the error of the last text.
function session.failed(err)
  G._err = err
end

--- Ends the variables that want to be closed, the newest first; tells what failed.
function session.close()
  local problems <const> = {}
  for index = #closing, 1, -1 do
    local one <const> = closing[index]
    closing[index] = nil
    local good <const>, problem <const> = pcall(one.metatable.__close, one.value, nil)
    if not good then
      problems[#problems + 1] = show.line(problem)
    end
  end
  return problems
end

--- Gives the session its first names; tells what scripts write for them.
---
---@param isShared boolean whether somebody types beside what is printed
function session.install(isShared)
  expectation, show = require "luath.prompt.expectation", require "luath.prompt.show"
  names.install(isShared)
  return names.sources
end

--- Begins the session of a pause in the middle of a script; tells what scripts write for the first
--- names, and which variables there are.
---
---@param number? integer of the pause; none where the journey has failed
---@return table
function session.enter(number)
  expectation, show = require "luath.prompt.expectation", require "luath.prompt.show"
  session.pause = require "luath.pause"
  names.install(true, true)
  local list <const> = {}
  for name, variable in next, session.pause.enter(number) do
    session.variables[name] = variable
    list[#list + 1] = name
  end
  table.sort(list)
  return { sources = names.sources, variables = list }
end

--- Ends the session of a pause.
function session.leave()
  for name, variable in next, session.pause.frame.variables do
    if session.variables[name] == variable then
      session.variables[name] = nil
    end
  end
  session.pause.leave()
  session.pause = nil
  names.uninstall()
end

--- The test users of the emulator in use.
function session.people()
  return require "luath.emulator".people()
end

--- Explains what a path of names means, or the name itself.
session.explain = names.explain

return session
