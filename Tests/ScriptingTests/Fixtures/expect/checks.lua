-- Every check: values that it takes, and values that it refuses.
local expect = require "luath.expect"
local failed = require "expect.failed"

--- A name, what holds, and what does not; each is the list of arguments.
local cases = {
  { "equal", { { 1, 1 }, { "a", "a" }, { 1, 1.0 } }, { { 1, 2 }, { {}, {} }, { 1, "1" } } },
  {
    "same",
    { { {}, {} }, { { 1, { a = 2 } }, { 1, { a = 2 } } }, { 0 / 0, 0 / 0 }, { 5, 5 } },
    { { { 1 }, { 1, 2 } }, { { 1, 2 }, { 1 } }, { { a = 1 }, { b = 1 } }, { {}, 1 }, { nil, {} } },
  },
  {
    "matches",
    {
      { { a = 1, b = 2 }, { a = 1 } },
      { "ada@example.com", "^%w+@" },
      { { 1, 2, 3 }, { 1, 2 } },
      { { a = { b = { c = 1, d = 2 } } }, { a = { b = { d = 2 } } } },
      { 7, 7 },
    },
    {
      { { a = 1 }, { a = 1, b = 2 } },
      { "ada", "@" },
      { 7, "7" },
      { { a = 1 }, { a = { b = 1 } } },
      { nil, {} },
    },
  },
  {
    "contains",
    { { "abc", "b" }, { { 1, 2 }, 2 }, { { { a = 1 } }, { a = 1 } }, { { a = "x" }, "x" }, { "a.b", "." } },
    { { "abc", "d" }, { { 1, 2 }, 3 }, { 5, 5 }, { nil, 1 }, { "a1", 1 } },
  },
  { "length", { { "abc", 3 }, { {}, 0 }, { { a = 1, 2 }, 2 } }, { { "abc", 2 }, { 5, 1 } } },
  { "empty", { { "" }, { {} } }, { { "a" }, { { a = 1 } }, { nil }, { 0 } } },
  { "truthy", { { true }, { 0 }, { "" } }, { { nil }, { false } } },
  { "falsy", { { nil }, { false } }, { { true }, { 0 } } },
  { "isTrue", { { true } }, { { 1 }, { nil }, { false } } },
  { "isFalse", { { false } }, { { nil }, { true } } },
  { "isNil", { { nil } }, { { false }, { 0 } } },
  {
    "isType",
    { { 1, "number" }, { 1, "integer" }, { 1.5, "float" }, { nil, "nil" }, { print, "function" } },
    { { 1, "string" }, { 1, "float" }, { {}, "userdata" }, { 1, "User" } },
  },
  { "above", { { 2, 1 }, { "b", "a" } }, { { 1, 1 }, { "1", 0 }, { nil, 0 } } },
  { "below", { { 1, 2 } }, { { 2, 2 }, { {}, 2 } } },
  { "atLeast", { { 2, 2 }, { 3, 2 } }, { { 1, 2 } } },
  { "atMost", { { 2, 2 }, { 1, 2 } }, { { 3, 2 } } },
  { "near", { { 1.05, 1, 0.1 }, { 1, 1, 0 } }, { { 1.2, 1, 0.1 }, { "1", 1, 1 }, { 0 / 0, 1, 1 } } },
  { "startsWith", { { "abc", "ab" }, { "abc", "" } }, { { "abc", "bc" }, { 12, "1" } } },
  { "endsWith", { { "abc", "bc" }, { "abc", "" } }, { { "abc", "ab" }, { nil, "a" } } },
}

local arities = { near = 3, empty = 1, truthy = 1, falsy = 1, isTrue = 1, isFalse = 1, isNil = 1 }

local seen = 0
for _, case in ipairs(cases) do
  local name, good, bad = table.unpack(case)
  local count = arities[name] or 2
  local function arguments(list)
    return table.unpack(list, 1, count)
  end
  for _, list in ipairs(good) do
    seen = seen + 1
    local given = expect[name](arguments(list))
    assert(rawequal(given, list[1]) or given ~= given, name .. " gives what it checked")
    local raised = failed(expect.no[name], arguments(list))
    assert(raised.message:find("anything but", 1, true), raised.message)
    assert(raised.expected and raised.actual)
    local subject = expect(list[1])
    assert(subject[name](subject, table.unpack(list, 2, count)) == subject)
  end
  for _, list in ipairs(bad) do
    seen = seen + 1
    local raised = failed(expect[name], arguments(list))
    assert(raised.expected and raised.actual, name)
    assert(raised.message:find("expected", 1, true), raised.message)
    expect.no[name](arguments(list))
    local subject = expect(list[1]).no
    assert(subject[name](subject, table.unpack(list, 2, count)) == subject)
  end
end
assert(seen > 80, seen)

-- Every check that there is was tried.
local tried = {}
for _, case in ipairs(cases) do
  tried[case[1]] = true
end
for name in pairs(require "luath.expect.checks") do
  assert(tried[name], name .. " was not tried")
end
