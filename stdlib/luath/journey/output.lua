--- What a file prints belongs to the run's record, not into the middle of a report.
local output = {}

local runner <const> = require "luath.runner"

local G <const> = _G
local stdout <const> = io.stdout
local write <const> = io.write
-- Kept here, as a journey may have put others in their place.
local pack, concat, tostring = table.pack, table.concat, tostring

--- What `io.write` was given since the last end of a line, piece by piece.
local rest = {}

--- Receives a line of `print`, and a piece of `io.write`.
local onPrint, onWrite

local function tell(text)
  runner.emit("log", { level = "print", text = text })
end

local function print_(...)
  local words = pack(...)
  for index = 1, words.n do
    words[index] = tostring(words[index])
  end
  onPrint(concat(words, "\t"))
end

--- Tells of the lines that a piece ends, and keeps the beginning of the next.
local function take(piece)
  -- The last end of a line: what comes before it may hold others.
  local lines, after = piece:match "^(.*)\n(.*)$"
  if lines then
    rest[#rest + 1] = lines
    tell(concat(rest))
    rest = {}
    piece = after
  end
  if piece ~= "" then
    rest[#rest + 1] = piece
  end
end

--- What `io.write` is for a file of journeys or a reporter.
local function write_(...)
  if io.output() ~= stdout then
    return write(...)
  end
  local words = pack(...)
  for index = 1, words.n do
    local value = words[index]
    local kind = math.type(value) or type(value)
    if kind ~= "string" and kind ~= "integer" and kind ~= "float" then
      local message = "bad argument #%d to 'write' (string expected, got %s)"
      error(message:format(index, value == nil and "nil" or kind), 2)
    end
  end
  onWrite(concat(words))
  return stdout
end

--- Replaces `print` and `io.write`.
---
---@param line fun(text: string) receives what is printed, without the end of the line
---@param piece fun(text: string) receives what is written to the standard output
function output.redirect(line, piece)
  onPrint, onWrite = line, piece
  G.print = print_
  io.write = write_
end

--- Takes the places of `print` and `io.write`, where somebody listens.
function output.install()
  if runner.isRunning then
    output.redirect(tell, take)
  end
end

--- Tells of a line that was not ended.
function output.flush()
  if #rest > 0 then
    take "\n"
  end
end

return output
