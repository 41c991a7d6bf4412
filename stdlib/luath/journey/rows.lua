--- The rows of data-driven journeys: a table, a CSV file (RFC 4180) or a JSON file.
local rows = {}

local json <const> = require "luath.json"

local function fail(level, message, ...)
  error(message:format(...), level + 1)
end

local function content(path, file, level)
  local folder = (file or ""):match "^(.*/)[^/]*$" or ""
  local full = path:sub(1, 1) == "/" and path or folder .. path
  local handle, reason = io.open(full, "rb")
  if not handle then
    fail(level, "the rows cannot be read: %s", reason)
  end
  local text = handle:read "a"
  handle:close()
  if not text then
    fail(level, "the rows cannot be read: %s is a folder", full)
  end
  return text, full
end

--- Reads one field from a position; gives it, where the next thing is, and the line there.
local function field(text, at, line, path, level)
  if text:sub(at, at) ~= '"' then
    local value, stop = text:match('^([^,\r\n"]*)()', at)
    if text:sub(stop, stop) == '"' then
      fail(level, "%s:%d: a quotation mark inside a field that does not begin with one", path, line)
    end
    return value, stop, line
  end
  local parts, from = {}, at + 1
  while true do
    local stop = text:find('"', from, true)
    if not stop then
      fail(level, "%s:%d: a quotation mark is not closed", path, line)
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

local function record(text, at, line, path, level)
  local fields, began = {}, line
  while true do
    fields[#fields + 1], at, line = field(text, at, line, path, level)
    local next_ = text:sub(at, at)
    if next_ == "," then
      at = at + 1
    elseif next_ == "" or next_ == "\n" or next_ == "\r" then
      at = at + (text:sub(at, at + 1) == "\r\n" and 2 or 1)
      return fields, at, line + 1, began
    else
      fail(level, "%s:%d: a field goes on after its quotation mark", path, line)
    end
  end
end

--- Reads CSV whose first line names the columns.
---
---@param text string
---@param path string for errors
---@return table[] list of tables by column; every value is text
function rows.csv(text, path, level)
  level = (level or 1) + 1
  local at, line, header = text:sub(1, 3) == "\xEF\xBB\xBF" and 4 or 1, 1, nil
  local list = {}
  while at <= #text do
    local fields, began
    fields, at, line, began = record(text, at, line, path, level)
    if not header then
      header = fields
      local seen = {}
      for _, name in ipairs(header) do
        if name == "" or seen[name] then
          fail(level, "%s:1: the first line names the columns; '%s' is %s", path, name,
            name == "" and "no name" or "there twice")
        end
        seen[name] = true
      end
    elseif not (#fields == 1 and fields[1] == "") then
      if #fields ~= #header then
        fail(level, "%s:%d: %d fields, but the first line names %d", path, began, #fields, #header)
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

--- The rows that the option `each` means.
function rows.read(each, file, level)
  level = (level or 1) + 1
  local list, path = each, "each"
  if type(each) == "string" then
    local text
    text, path = content(each, file, level)
    local kind = each:lower():match "%.(%w+)$"
    if kind == "csv" then
      list = rows.csv(text, path, level)
    elseif kind == "json" then
      local good, value = pcall(json.decode, text)
      if not good then
        fail(level, "%s is no JSON: %s", path, value.message or tostring(value))
      end
      list = value
    else
      fail(level, "rows come from a table, a .csv or a .json file, not from %s", path)
    end
  end
  if type(list) ~= "table" or #list == 0 or type(list[1]) ~= "table" then
    fail(level, "%s has no rows: a list of tables with at least one is expected", path)
  end
  for index, row in ipairs(list) do
    if type(row) ~= "table" then
      fail(level, "%s: row %d is no table", path, index)
    end
  end
  return list
end

--- The name of a row's journey: `{column}` is replaced; without any the row's number is added.
function rows.name(name, row, index)
  local replaced = 0
  local made = name:gsub("{([^{}]+)}", function(column)
    local value = row[column] ~= nil and row[column] or row[math.tointeger(tonumber(column))]
    if value == nil then
      return nil
    end
    replaced = replaced + 1
    return tostring(value)
  end)
  return replaced > 0 and made or ("%s [%d]"):format(name, index)
end

return rows
