local runner = require "luath.runner"

--- For luath's own library: outside of `luath test` nobody hears what is told here.
---
---@field isRunning boolean whether journeys are run
---@field options table the options of the run

---@param fields table<string, any> what is to be told of it
function runner.emit()
  runner.emit("log", { text = "hello" })
end

---@param text _ the text
---@return string text
function runner.secret()
  local token = runner.secret "4/P7q7W91a-oMsCeLvIaQm6bTrgtp7"
  print(#token)
end

---@param name _ the field's name
---@param value _ what it holds
---@return boolean isHidden
function runner.field()
  runner.field("password", "correct horse")
end

---@param text _ the text
---@return string text
function runner.clean()
  print(runner.clean "nothing secret here")
end

---@param name _ the name that is to be claimed
---@return boolean isHeld
---@return any value what was kept under the name
function runner.claim()
  local isHeld = runner.claim "fixtures"
  print(isHeld)
  runner.release "fixtures"
end

---@param name _ the claimed name
---@param value _ what JSON can hold; nothing when not given
function runner.release()
  runner.claim "fixtures"
  runner.release("fixtures", { path = "session.json" })
end

---@return integer count
function runner.exchangeCount()
  print(runner.exchangeCount())
end

---@param lifetime _ journey, hooks (of a journey) or file
---@return string lifetime
function runner.lifetime()
  local before = runner.lifetime "file"
  runner.lifetime(before)
end

---@param lifetime _ journey, hooks (of a journey) or file
---@return integer count
---@return boolean hasFailed
function runner.tasks()
  print(runner.tasks "journey")
end

---@async
---@param lifetime _ journey, hooks (of a journey) or file
function runner.awaitTasks()
  runner.awaitTasks "journey"
end
