--- Shows where two values differ: lines that begin with "- " (expected), "+ " (actual) or blanks.
local diff = {}

local print <const> = require "luath.expect.print"
local same <const> = require "luath.expect.same"
local texts <const> = require "luath.expect.texts"

--- So many lines of what is the same stand around a difference.
local CONTEXT <const> = 2
--- Longer lists are compared item by item, not for what was put in or taken out.
local LONGEST <const> = 200
local LINES <const> = 200
--- Deeper differences are shown as two values.
local DEPTH <const> = 32

local function lines(text)
  local list <const> = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    list[#list + 1] = line
  end
  return list
end

local function put(page, mark, indent, text)
  for _, line in ipairs(lines(text)) do
    page[#page + 1] = mark .. ("  "):rep(indent) .. line
  end
end

--- A value on lines of its own, with what names it in front of it.
local function write(page, mark, indent, name, value)
  put(page, mark, indent, name .. print.text(value, 0) .. ",")
end

local function isList(value)
  local count = 0
  for key in next, value do
    count = count + 1
    if math.type(key) ~= "integer" then
      return false
    end
  end
  return count == #value
end

--- The longest common subsequence of two sequences: what is kept, taken out and put in.
local function edits(actual, expected, isSame)
  local rows <const>, columns <const> = #expected, #actual
  local length <const> = { [rows + 1] = {} }
  for row = rows + 1, 1, -1 do
    length[row] = length[row] or {}
    for column = columns + 1, 1, -1 do
      if row > rows or column > columns then
        length[row][column] = 0
      elseif isSame(actual[column], expected[row]) then
        length[row][column] = length[row + 1][column + 1] + 1
      else
        length[row][column] = math.max(length[row + 1][column], length[row][column + 1])
      end
    end
  end
  local row, column = 1, 1
  return function()
    if row > rows and column > columns then
      return nil
    elseif row <= rows and column <= columns and isSame(actual[column], expected[row]) then
      row, column = row + 1, column + 1
      return "  ", column - 1, row - 1
    end
    local below <const> = row <= rows and length[row + 1][column] or -1
    local beside <const> = column <= columns and length[row][column + 1] or -1
    if below >= beside then
      row = row + 1
      return "- ", nil, row - 1
    end
    column = column + 1
    return "+ ", column - 1, nil
  end
end

local walk

local function walkLists(page, actual, expected, rules, indent)
  local function isSame(one, other)
    return same.compare(one, other, rules.isPartial)
  end
  for mark, column, row in edits(actual, expected, isSame) do
    if mark == "- " then
      write(page, mark, indent, "", expected[row])
    else
      write(page, mark, indent, "", actual[column])
    end
  end
end

--- All keys that count, in order.
local function keysOf(actual, expected, rules)
  local all <const> = {}
  for key in next, expected do
    all[key] = true
  end
  if not rules.isPartial then
    for key in next, actual do
      all[key] = true
    end
  end
  return print.keys(all)
end

--- What differs and is not gone into: further in by its path, of long texts where they differ.
local function writeBoth(page, indent, key, found, wanted, rules)
  local name = print.key(key)
  if type(found) == "table" and type(wanted) == "table" then
    local first <const> = same.difference(found, wanted, rules.isPartial)
    name, found, wanted = name .. same.path(first.trail), first.actual, first.expected
    key = first.trail and first.trail.key
  end
  local shown <const> = texts.differ(found, wanted, key)
  if shown then
    put(page, "- ", indent, ("%s = %s,"):format(name, shown.expected))
    put(page, "+ ", indent, ("%s = %s,"):format(name, shown.actual))
    return
  end
  if wanted ~= nil then
    write(page, "- ", indent, name .. " = ", wanted)
  end
  if found ~= nil then
    write(page, "+ ", indent, name .. " = ", found)
  end
end

local function walkEntries(page, actual, expected, rules, indent)
  for _, key in ipairs(keysOf(actual, expected, rules)) do
    local name <const> = print.key(key) .. " = "
    local wanted <const> = rawget(expected, key)
    local found <const> = same.field(actual, key)
    if same.compare(found, wanted, rules.isPartial) then
      put(page, "  ", indent, name .. print.line(found, 60) .. ",")
    elseif not walk(page, found, wanted, rules, indent, name) then
      writeBoth(page, indent, key, found, wanted, rules)
    end
  end
end

--- Goes into two tables; says whether there was something to go into.
function walk(page, actual, expected, rules, indent, name)
  local canEnter <const> = type(expected) == "table"
    and not same.isPlaceholder(expected)
    and (type(actual) == "table" or (rules.isPartial and type(actual) == "userdata"))
  if not canEnter or rules.open[expected] or indent >= DEPTH then
    return false
  end
  rules.open[expected] = true
  put(page, "  ", indent, name .. "{")
  local areLists <const> = type(actual) == "table"
    and isList(actual)
    and isList(expected)
    and #actual ~= #expected
    and not rules.isPartial
    and math.max(#actual, #expected) <= LONGEST
  if areLists then
    walkLists(page, actual, expected, rules, indent + 1)
  else
    walkEntries(page, actual, expected, rules, indent + 1)
  end
  put(page, "  ", indent, indent == 0 and "}" or "},")
  rules.open[expected] = nil
  return true
end

--- Compares what is between the lines that both texts begin and end with.
local function compareLines(page, before, after)
  if math.max(#before, #after) <= LONGEST then
    for mark, column, row in edits(before, after, rawequal) do
      put(page, mark, 0, mark == "- " and after[row] or before[column])
    end
    return
  end
  for index = 1, math.max(#before, #after) do
    if before[index] == after[index] then
      put(page, "  ", 0, before[index])
    else
      if after[index] then
        put(page, "- ", 0, after[index])
      end
      if before[index] then
        put(page, "+ ", 0, before[index])
      end
    end
  end
end

local function walkStrings(page, actual, expected)
  local before <const>, after <const> = lines(actual), lines(expected)
  local most <const> = math.min(#before, #after)
  local head, tail = 0, 0
  while head < most and before[head + 1] == after[head + 1] do
    head = head + 1
  end
  while tail < most - head and before[#before - tail] == after[#after - tail] do
    tail = tail + 1
  end
  for index = 1, head do
    put(page, "  ", 0, before[index])
  end
  compareLines(page,
    table.move(before, head + 1, #before - tail, 1, {}),
    table.move(after, head + 1, #after - tail, 1, {}))
  for index = #before - tail + 1, #before do
    put(page, "  ", 0, before[index])
  end
end

--- Leaves out what is the same and far from every difference.
local function fold(page)
  local isNear <const> = {}
  for index, line in ipairs(page) do
    if line:sub(1, 1) ~= " " then
      for near = index - CONTEXT, index + CONTEXT do
        isNear[near] = true
      end
    end
  end
  local folded <const>, left = {}, {}
  local function close()
    if #left == 1 then
      folded[#folded + 1] = left[1]
    elseif #left > 1 then
      folded[#folded + 1] = ("  … %d lines the same"):format(#left)
    end
    left = {}
  end
  for index, line in ipairs(page) do
    if #folded >= LINES then
      folded[#folded + 1] = ("  … %d lines more"):format(#page - index + 1)
      return folded
    elseif isNear[index] or #line < 5 then
      close()
      folded[#folded + 1] = line
    else
      left[#left + 1] = line
    end
  end
  close()
  return folded
end

--- The lines that show how two values differ; nil when both fit on a line as they are.
---
---@param actual any
---@param expected any
---@param isPartial? boolean only the fields of the expected table count
---@return string[]?
function diff.lines(actual, expected, isPartial)
  local page <const> = {}
  if type(actual) == "string" and type(expected) == "string" then
    if actual:find "\n" or expected:find "\n" then
      walkStrings(page, actual, expected)
    end
  else
    walk(page, actual, expected, { isPartial = isPartial, open = {} }, 0, "")
  end
  return #page > 0 and fold(page) or nil
end

return diff
