--- What assertions say, in luassert's words: specs may look for them.
local say <const> = require "luath.spec.say"

local PASSED <const> = "\nPassed in:\n%s\nExpected:\n%s"
local REFUSED <const> = "\nPassed in:\n%s\nDid not expect:\n%s"

--- By key: what is said when an assertion does not hold, and when it holds and should not.
local messages <const> = {
  same = {
    "Expected objects to be the same." .. PASSED,
    "Expected objects to not be the same." .. REFUSED,
  },
  equals = {
    "Expected objects to be equal." .. PASSED,
    "Expected objects to not be equal." .. REFUSED,
  },
  near = {
    "Expected values to be near." .. PASSED .. " +/- %s",
    "Expected values to not be near." .. REFUSED .. " +/- %s",
  },
  matches = {
    "Expected strings to match." .. PASSED,
    "Expected strings not to match." .. REFUSED,
  },
  unique = { "Expected object to be unique:\n%s", "Expected object to not be unique:\n%s" },
  error = {
    "Expected a different error.\nCaught:\n%s\nExpected:\n%s",
    "Expected no error, but caught:\n%s",
  },
  truthy = {
    "Expected to be truthy, but value was:\n%s",
    "Expected to not be truthy, but value was:\n%s",
  },
  falsy = {
    "Expected to be falsy, but value was:\n%s",
    "Expected to not be falsy, but value was:\n%s",
  },
  called = {
    "Expected to be called %s time(s), but was called %s time(s)",
    "Expected not to be called exactly %s time(s), but it was.",
  },
  called_at_least = {
    "Expected to be called at least %s time(s), but was called %s time(s)",
  },
  called_at_most = {
    "Expected to be called at most %s time(s), but was called %s time(s)",
  },
  called_more_than = {
    "Expected to be called more than %s time(s), but was called %s time(s)",
  },
  called_less_than = {
    "Expected to be called less than %s time(s), but was called %s time(s)",
  },
  called_with = {
    "Function was never called with matching arguments.\n"
      .. "Called with (last call if any):\n%s\nExpected:\n%s",
    "Function was called with matching arguments at least once.\n"
      .. "Called with (last matching call):\n%s\nDid not expect:\n%s",
  },
  returned_with = {
    "Function never returned matching arguments.\n"
      .. "Returned (last call if any):\n%s\nExpected:\n%s",
    "Function returned matching arguments at least once.\n"
      .. "Returned (last matching call):\n%s\nDid not expect:\n%s",
  },
  returned_arguments = {
    "Expected to be called with %s argument(s), but was called with %s",
    "Expected not to be called with %s argument(s), but was called with %s",
  },
  array_holes = {
    "Expected array to have holes, but none was found.\n",
    "Expected array to not have holes, hole found at position: %s\n",
  },
}

say:set_namespace "en"
for name, texts in pairs(messages) do
  say:set(("assertion.%s.positive"):format(name), texts[1])
  if texts[2] then
    say:set(("assertion.%s.negative"):format(name), texts[2])
  end
end
say:set(
  "assertion.internal.argtolittle",
  "the '%s' function requires a minimum of %s arguments, got: %s"
)
say:set("assertion.internal.badargtype", "bad argument #%s to '%s' (%s expected, got %s)")

return messages
