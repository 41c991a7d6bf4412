local flows = require "support.flows"

--- Calls a function, which must fail because Firebase's emulator lacks something.
return function(what, f, ...)
  local err = flows.refused("notImplemented", f, ...)
  flows.equal(err.message, "Firebase's emulator has no " .. what)
  assert(err.hint:find("luath emulator --rules production", 1, true), err.hint)
  return err
end
