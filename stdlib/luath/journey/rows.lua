--- The rows of data-driven journeys: a table, a CSV file (RFC 4180), a JSON or an NDJSON file.
local rows = {}

local json <const> = require "luath.json"
local failures <const> = require "luath.journey.failures"
local runner <const> = require "luath.runner"
local refuse <const> = failures.refuse

local function content(path, file)
  local folder = (file or ""):match "^(.*/)[^/]*$" or ""
  local full = path:sub(1, 1) == "/" and path or folder .. path
  local handle, reason = io.open(full, "rb")
  if not handle then
    refuse("the rows cannot be read: %s", reason)
  end
  local text = handle:read "a"
  handle:close()
  if not text then
    refuse("the rows cannot be read: %s is a folder", full)
  end
  return text, full
end

--- The separator of the fields: the only one of `,` `;` `|` and tab that the first line has outside
--- quotes, and a comma if it has several or none. `luath batch plan` reads CSV by the same rule.
local function separator(text, at)
  local isQuoted, found = false, nil
  for char in text:gmatch('["\r\n,;|\t]', at) do
    if char == '"' then
      isQuoted = not isQuoted
    elseif not isQuoted then
      if char == "\r" or char == "\n" then
        break
      elseif found and found ~= char then
        return ","
      end
      found = char
    end
  end
  return found or ","
end

--- Reads one field from a position; returns it, where the next thing is, and the line there.
local function field(text, at, line, path, between)
  if text:sub(at, at) ~= '"' then
    local value, stop = text:match(('^([^%s\r\n"]*)()'):format(between), at)
    if text:sub(stop, stop) == '"' then
      refuse("line %d of %s: a quotation mark inside a field that does not begin with one",
        line, path)
    end
    return value, stop, line
  end
  local parts, from = {}, at + 1
  while true do
    local stop = text:find('"', from, true)
    if not stop then
      refuse("line %d of %s: a quotation mark is not closed", line, path)
    end
    parts[#parts + 1] = text:sub(from, stop - 1)
    if text:sub(stop + 1, stop + 1) ~= '"' then
      local value = table.concat(parts, '"')
      local _, breaks = value:gsub("\n", "")
      return value, stop + 1, line + breaks
    end
    from = stop + 2
  end
end

local function record(text, at, line, path, between)
  local fields, began = {}, line
  while true do
    fields[#fields + 1], at, line = field(text, at, line, path, between)
    local next_ = text:sub(at, at)
    if next_ == between then
      at = at + 1
    elseif next_ == "" or next_ == "\n" or next_ == "\r" then
      at = at + (text:sub(at, at + 1) == "\r\n" and 2 or 1)
      return fields, at, line + 1, began
    else
      refuse("line %d of %s: a field continues after its quotation mark", line, path)
    end
  end
end

--- Reads CSV whose first line names the columns.
---
---@param text string
---@param path string for errors
---@return table[] list of tables by column; every value is text
function rows.csv(text, path)
  local isText, bad = utf8.len(text)
  if not isText then
    local _, breaks = text:sub(1, bad - 1):gsub("\n", "")
    refuse("line %d of %s is not UTF-8: save the file as UTF-8, or convert it with iconv",
      breaks + 1, path)
  end
  local at, line, header = text:sub(1, 3) == "\xEF\xBB\xBF" and 4 or 1, 1, nil
  local list, between = {}, separator(text, at)
  while at <= #text do
    local fields, began
    fields, at, line, began = record(text, at, line, path, between)
    if not header then
      header = fields
      local seen = {}
      for _, name in ipairs(header) do
        if name == "" or seen[name] then
          refuse("line 1 of %s names the columns, and '%s' is %s", path, name,
            name == "" and "no name" or "there twice")
        end
        seen[name] = true
      end
    elseif not (#fields == 1 and fields[1] == "") then
      if #fields ~= #header then
        refuse("line %d of %s has %d fields, but the first line names %d", began, path, #fields,
          #header)
      end
      local row = {}
      for index, name in ipairs(header) do
        row[name] = fields[index]
      end
      list[#list + 1] = row
    end
  end
  return list
end

--- Keeps what stands in columns named for secrets out of reports, as names have values of rows.
function rows.hide(row, seen)
  seen = seen or {}
  seen[row] = true
  for name, value in pairs(row) do
    local kind = type(value)
    if kind == "table" and not seen[value] then
      rows.hide(value, seen)
    elseif type(name) == "string" and (kind == "string" or kind == "number") then
      runner.field(name, tostring(value))
    end
  end
end

--- The key at a place of a JSON text.
local function key(text, line, column)
  local at = 1
  for _ = 2, line do
    at = text:find("\n", at, true) + 1
  end
  return text:match('^"([^"]*)', at + column - 1) or "?"
end

--- Decodes a JSON text, of a whole file or of one line.
local function decoded(text, path, line)
  text = text:gsub("^\xEF\xBB\xBF", "")
  local good, value = pcall(json.decode, text, { unique = true })
  if good then
    return value
  elseif value.code == "duplicateKey" then
    refuse("line %d of %s: the key '%s' is there twice", line or value.line, path,
      key(text, value.line, value.column))
  end
  local place <const> = line and ("line %d of %s"):format(line, path) or path
  refuse("%s is no JSON: %s", place, value.message or tostring(value))
end

--- The values of a JSON text in each line; empty lines are left out.
local function lines(text, path)
  local list <const>, number = {}, 0
  for line in text:gmatch "[^\n]*" do
    number = number + 1
    if line:find "%S" then
      list[#list + 1] = decoded(line, path, number)
    end
  end
  return list
end

--- The first number up to the last that a list has nothing at.
local function hole(list)
  local last = 0
  for index in pairs(list) do
    if math.type(index) == "integer" and index > last then
      last = index
    end
  end
  for index = 1, last do
    if list[index] == nil then
      return index
    end
  end
end

--- The rows that the option `each` means.
function rows.read(each, file)
  local list, path = each, "each"
  if type(each) == "string" then
    local text
    text, path = content(each, file)
    local kind = each:lower():match "%.(%w+)$"
    if kind == "csv" then
      list = rows.csv(text, path)
    elseif kind == "json" then
      list = decoded(text, path)
    elseif kind == "ndjson" then
      list = lines(text, path)
    else
      refuse("rows come from a table, a .csv, .json or .ndjson file, not from %s", path)
    end
  end
  local missing = type(list) == "table" and hole(list)
  if missing then
    refuse("%s has no row %d: a list without holes is expected", path, missing)
  elseif type(list) ~= "table" or #list == 0 or type(list[1]) ~= "table" then
    refuse("%s has no rows: a list of tables with at least one is expected", path)
  end
  for index, row in ipairs(list) do
    if type(row) ~= "table" then
      refuse("%s: row %d is no table", path, index)
    end
    rows.hide(row)
  end
  return list
end

--- The columns that any row has, by name.
local function columns(list)
  local known <const> = {}
  for _, row in ipairs(list) do
    for key in pairs(row) do
      known[tostring(key)] = true
    end
  end
  return known
end

--- The value of a row's column; of a list, by its number.
local function value(row, column)
  local found = row[column]
  if found == nil then
    found = row[math.tointeger(tonumber(column))]
  end
  return found
end

--- The names of the rows' journeys: `{column}` is replaced; without any the row's number is added.
---
---@param name string
---@param list table[]
---@return string[]
function rows.names(name, list)
  local known <const>, made <const> = columns(list), {}
  for index, row in ipairs(list) do
    local replaced = 0
    made[index] = name:gsub("{([^{}]+)}", function(column)
      if not known[column] then
        local names = require("luath.expect.words").nearest(column, known)
        local guess = #names > 0 and (", did you mean '{%s}'?"):format(names[1]) or ""
        refuse("the name of a journey with rows has '{%s}', but no row has this column%s", column,
          guess)
      end
      local found = value(row, column)
      if type(found) == "table" or type(found) == "function" then
        refuse("row %d has a %s as '%s', which cannot be part of a name", index, type(found),
          column)
      end
      replaced = replaced + 1
      -- Reports show names as they are.
      return runner.field(column, tostring(found)) and "[secret]" or tostring(found)
    end)
    if replaced == 0 then
      made[index] = ("%s [%d]"):format(name, index)
    end
  end
  return made
end

return rows
