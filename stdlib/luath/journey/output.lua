--- What a file prints belongs to the run's record, not into the middle of a report.
local output = {}

local runner <const> = require "luath.runner"

local G <const> = _G
local stdout <const> = io.stdout
local write <const> = io.write
-- Kept here, as a journey may have put others in their place.
local pack, concat, tostring = table.pack, table.concat, tostring

--- What `io.write` was given since the last end of a line.
local rest = ""

local function tell(text)
  runner.emit("log", { level = "print", text = text })
end

local function print_(...)
  local words = pack(...)
  for index = 1, words.n do
    words[index] = tostring(words[index])
  end
  tell(concat(words, "\t"))
end

--- Tells of the lines that are whole, and keeps the beginning of the next.
local function write_(...)
  if io.output() ~= stdout then
    return write(...)
  end
  for index = 1, select("#", ...) do
    local value = select(index, ...)
    local kind = math.type(value) or type(value)
    if kind ~= "string" and kind ~= "integer" and kind ~= "float" then
      local words = "bad argument #%d to 'write' (string expected, got %s)"
      error(words:format(index, value == nil and "nil" or kind), 2)
    end
    rest = rest .. value
  end
  local lines, after = rest:match "^(.*)\n([^\n]*)$"
  if lines then
    rest = after
    tell(lines)
  end
  return stdout
end

--- Takes the places of `print` and `io.write`, where somebody listens.
function output.install()
  if not runner.isRunning then
    return
  end
  G.print = print_
  io.write = write_
end

--- Tells of a line that was not ended.
function output.flush()
  if rest ~= "" then
    local text = rest
    rest = ""
    tell(text)
  end
end

return output
