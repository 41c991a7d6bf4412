--- Calls a check that must fail; gives the failure, after looking at its shape.
return function(f, ...)
  local good, raised = pcall(f, ...)
  assert(not good, "the check did not fail")
  assert(type(raised) == "table" and raised.assertion, "no failure: " .. tostring(raised))
  assert(getmetatable(raised).__name == "luath.Failure")
  assert(type(raised.message) == "string" and #raised.message > 5)
  assert(tostring(raised):find(raised.message, 1, true), "the text hides the message")
  return raised
end
