--- Compares values with snapshots: texts in a file beside the journeys, which luath writes.
local snapshot = {}

local diff <const> = require "luath.expect.diff"
local failure <const> = require "luath.expect.failure"
local kinds <const> = require "luath.expect.kinds"
local library <const> = require "luath.expect.library"
local perform <const> = require "luath.expect.perform"
local runner <const> = require "luath.runner"

local LONGEST_NAME <const> = 200

--- A value as a snapshot has it: of a response its status, headers and body.
local function plain(value)
  if type(value) == "userdata" and kinds.name(value) == "HTTPResponse" then
    return { status = value.status, headers = value.headers, body = value.body }
  end
  return value
end

local function checkName(name, ...)
  if select("#", ...) > 0 then
    perform.mistake("snapshot", 3, "at most two values expected, got %d", select("#", ...) + 2)
  elseif name == nil then
    return
  elseif type(name) ~= "string" then
    perform.mistake("snapshot", 2, "name expected as string, got %s", type(name))
  elseif name == "" or #name > LONGEST_NAME or name:find "%c" or not utf8.len(name) then
    perform.mistake("snapshot", 2, "a name of 1 to %d characters on one line expected",
      LONGEST_NAME)
  end
end

--- The fields of a failure, from the host's answer.
local function fields(answer, name)
  local which <const> = ("the snapshot '%s'"):format(name or answer.name)
  if answer.status == "missing" then
    return {
      message = ("there is no %s of this journey, and CI writes none"):format(which:sub(5)),
      expected = "a snapshot in " .. answer.file, actual = answer.actual,
      hint = ("run luath test %s on your machine, check %s and commit it")
        :format(answer.script, answer.file),
    }
  end
  return {
    message = ("the value differs from %s in %s"):format(which, answer.file),
    expected = answer.expected, actual = answer.actual,
    diff = diff.lines(answer.actual, answer.expected)
      or { "- " .. answer.expected, "+ " .. answer.actual },
    hint = ("if the new value is right: luath test --update-snapshots %s"):format(answer.script),
  }
end

--- Compares a value with its snapshot; the first time, it writes the snapshot.
---
---@param mode table `isNegated` and `isSoft`
---@param value any
---@param name? string of the snapshot; without it, it has a number
---@return any value
function snapshot.check(mode, value, name, ...)
  if mode.isNegated then
    failure.refuse("expect.no.snapshot does not exist: a snapshot has one value")
  end
  if value == nil then
    perform.mistake("snapshot", 1, "value expected, got nil")
  end
  checkName(name, ...)
  if runner.options.isLoad then
    return value
  elseif failure.isTried() then
    failure.refuse("expect.snapshot cannot be in a function that is tried again: "
      .. "return the value, and compare it afterwards")
  end
  local answer <const> = runner.snapshot(plain(value), name)
  if not answer then
    failure.refuse "expect.snapshot needs a journey that luath test runs"
  elseif answer.status == "same" then
    failure.pass()
    return value
  elseif answer.status == "refused" then
    perform.mistake("snapshot", 1, "a snapshot cannot contain %s", answer.message)
  elseif answer.status == "twice" then
    failure.refuse("this journey has two snapshots '%s': give each its own name", name or "")
  elseif answer.status == "problem" then
    error({ message = answer.message, hint = answer.hint }, 0)
  end
  library.borrow()
  perform.fail(mode, fields(answer, name))
  return value
end

return snapshot
