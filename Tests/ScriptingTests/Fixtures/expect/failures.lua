-- What a failure shows.
local expect = require "luath.expect"
local failed = require "expect.failed"

local function equal(actual, expected)
  if actual ~= expected then
    error(("%s\nshould be\n%s"):format(tostring(actual), tostring(expected)), 2)
  end
end

local function lines(raised)
  return raised.diff and table.concat(raised.diff, "\n") or nil
end

-- The place, the source of the whole call, both values.
local raised = failed(function()
  expect.equal("ada", "bob")
end)
assert(raised.where:find "expect/failures%.lua:17$", raised.where)
equal(raised.expression, 'expect.equal("ada", "bob")')
equal(raised.expected, '"bob"')
equal(raised.actual, '"ada"')
equal(raised.message, 'expected "bob", got "ada"')
assert(raised.traceback:find("expect/failures.lua:17", 1, true), raised.traceback)
assert(not raised.traceback:find("expect/perform", 1, true), raised.traceback)

raised = failed(function()
  expect.same({
    name = "ada", -- with ( a bracket
    list = { 1, 2 },
  }, { name = "bob" }, "the person")
end)
equal(
  raised.expression,
  'expect.same({ name = "ada", -- with ( a bracket list = { 1, 2 }, }, { name = "bob" }, "the person")'
)
equal(raised.message, 'the person: .name differs: expected "bob", got "ada"')

-- A tail call keeps the check's own line, in a helper too, with whatever a check is called by.
local unequal, assert_ = expect.equal, require("luath.spec.modules").require "luassert"
local function helper(f)
  local ok, why = pcall(f)
  assert(not ok)
  return why
end
for _, f in ipairs {
  function() return expect.equal(1, 2) end,
  function() return expect.no.equal(1, 1) end,
  function() return expect(1):equal(2) end,
  function() return unequal(1, 2) end,
  function(...) return expect.raises("userNotFound", error, "x", ...) end,
  function() return expect.eventually(function() end, { timeout = 0, interval = 0 }) end,
  function() return assert_.equal(1, 2) end,
  function() return assert_(false) end,
  function() return expect.fail "never" end,
  function() return expect.equal(1) end,
} do
  raised = helper(f)
  local line = debug.getinfo(f, "S").linedefined
  local where = type(raised) == "string" and raised:match "^(.-): " or raised.where
  assert(where:find("expect/failures%.lua:" .. line .. "$"), where .. " is not line " .. line)
  if type(raised) == "table" then
    assert(raised.expression:find("^function%(.*%) return ", 1), raised.expression)
    assert(not raised.traceback:find("[C]: in function 'luath.", 1, true), raised.traceback)
  end
end

-- A long path stays whole, and a file that cannot be read has no source.
local path = ("/%s/long.lua"):format(("x"):rep(100))
raised = failed(load("local expect = ...\nexpect.equal(1, 2)", "@" .. path), expect)
equal(raised.where, path .. ":2")
equal(raised.expression, nil)

-- The first difference in the order of the keys, and all of them.
raised = failed(function()
  expect.same(
    { b = 1, a = { x = { 1, 2, 3 } }, c = "same", d = 4 },
    { b = 2, a = { x = { 1, 3 } }, c = "same", e = 5 }
  )
end)
equal(raised.message, ".a.x[2] differs: expected 3, got 2")
equal(
  lines(raised),
  [[
  {
    a = {
      x = {
        1,
+       2,
        3,
      },
    },
-   b = 2,
+   b = 1,
    c = "same",
+   d = 4,
-   e = 5,
  }]]
)

-- What is the same and far away is folded.
local one, other = {}, {}
for index = 1, 50 do
  one[index], other[index] = index, index
end
other[25] = "x"
raised = failed(expect.same, one, other)
equal(
  lines(raised),
  [[
  {
  … 22 lines the same
    [23] = 23,
    [24] = 24,
-   [25] = "x",
+   [25] = 25,
    [26] = 26,
    [27] = 27,
  … 23 lines the same
  }]]
)

-- Only the fields that were asked for.
raised = failed(expect.matches, { a = 1, b = 2, c = { d = 1, e = 2 } }, { a = 2, c = { d = 1 } })
equal(raised.message, ".a differs: expected 2, got 1")
assert(not lines(raised):find "b =", lines(raised))

-- Texts of several lines are compared by line.
raised = failed(expect.equal, "one\ntwo\nthree", "one\n2\nthree")
equal(lines(raised), "  one\n- 2\n+ two\n  three")

-- Circles end.
local circle, twin = { x = 1 }, { x = 1 }
circle.me, twin.me = circle, twin
expect.same(circle, twin)
twin.x = 2
raised = failed(expect.same, circle, twin)
equal(raised.message, ".x differs: expected 2, got 1")
local deep = {}
for _ = 1, 150 do
  deep = { deep }
end
assert(#failed(expect.same, deep, {}).actual < 200)

-- Depth, breadth and tables that are met often cost no time.
local lattice, other_ = {}, {}
for _ = 1, 60 do
  lattice, other_ = { lattice, lattice }, { other_, other_ }
end
expect.same(lattice, other_)
local chain, twin_ = {}, {}
local last, end_ = chain, twin_
for _ = 1, 2000 do
  last.n, end_.n = {}, {}
  last, end_ = last.n, end_.n
end
end_.z = 1
raised = failed(expect.same, chain, twin_)
assert(raised.message:find("^…%.n.*%.n%.z differs: expected 1, got nil$"), raised.message)
assert(#raised.diff < 250)
local wide = {}
for index = 1, 100 do
  wide[index] = {}
  for inner = 1, 100 do
    wide[index][inner] = { inner, { inner } }
  end
end
assert(#failed(expect.isNil, wide).actual < 100000)

-- Long values are shortened, on letters.
raised = failed(expect.equal, ("ü"):rep(5000), "x")
assert(utf8.len(raised.message) and #raised.message < 300, raised.message)
assert(utf8.len(raised.actual) and #raised.actual < 2200)
raised = failed(expect.equal, "\0\255\n\"", "x")
equal(raised.actual, [["\x00\xFF\n\""]])

-- Numbers as Lua reads them.
for text, value in pairs {
  ["1"] = 1, ["1.0"] = 1.0, ["0.1"] = 0.1, ["math.huge"] = math.huge, ["-math.huge"] = -math.huge,
  ["0.30000000000000004"] = 0.1 + 0.2, ["1e+100"] = 1e100, ["nan"] = 0 / 0,
} do
  equal(failed(expect.isNil, value).actual, text)
end

-- What looks alike is told apart.
assert(failed(expect.equal, 1, "1").hint:find("a number, the other a string", 1, true))
assert(failed(expect.equal, "a ", "a").hint:find("blanks", 1, true))
assert(failed(expect.equal, "A", "a").hint:find("case", 1, true))
assert(failed(expect.equal, { 1 }, { 1 }).hint:find("expect.same", 1, true))
assert(failed(expect.equal, "u", expect.any.uid).hint:find("expect.matches", 1, true))

-- A token is not shown, only what it claims; nor is its signature.
local token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEiLCJleHAiOjE3OTUzMTAxMDd9.c2lnbmF0dXJl"
raised = failed(expect.same, { token = token }, { token = "x" })
assert(raised.actual:find("eyJ…<sub=ada, exp=1795310107>", 1, true), raised.actual)
for _, text in ipairs { tostring(raised), raised.actual, raised.message, lines(raised) } do
  assert(not text:find("c2lnbmF0dXJl", 1, true), text)
end

-- An object that fails to say what it is does not hide the failure.
local rude = setmetatable({}, {
  __tostring = function()
    error "no"
  end,
  __index = function()
    error "no"
  end,
})
failed(expect.same, rude, { a = 1 })
failed(expect.matches, rude, { a = 1 })
failed(expect.equal, setmetatable({}, { __eq = function() return false end }), rude)

-- Of long texts what is around the first difference is shown, and where that is.
local long <const> = ("abcdefghi "):rep(200)
raised = failed(expect.equal, long .. "x" .. long, long .. "ü" .. long)
assert(raised.message:find("at character 2001: expected …\"", 1, true), raised.message)
assert(raised.actual:find("abcdefghi xabcdefghi", 1, true) and #raised.actual < 80, raised.actual)
equal(#raised.diff, 2)
raised = failed(expect.same, { t = long .. "x" }, { t = long .. "y" })
assert(raised.message:find("^%.t differs at character 2001: "), raised.message)
assert(lines(raised):find("\n%- *t = …\"[^\n]* y\",\n%+ *t = …\"[^\n]* x\",\n"), lines(raised))
local one <const>, other <const> = {}, {}
for index = 1, 2000 do
  one[index], other[index] = "line " .. index, "line " .. index
end
one[10], other[1500] = "changed", "changed"
raised = failed(expect.equal, table.concat(one, "\n"), table.concat(other, "\n"))
assert(lines(raised):find("- line 10\n+ changed\n", 1, true), lines(raised))
assert(#raised.diff < 30)

-- Deep differences are shown with their paths.
local function deep(depth, value)
  local made = { v = value }
  for _ = 1, depth do
    made = { k = made }
  end
  return made
end
raised = failed(expect.same, deep(40, 1), deep(40, 2))
assert(lines(raised):find "%- *k%.k%.k[.k]*%.v = 2,", lines(raised))

-- What cannot be seen is spelled out where texts differ.
raised = failed(expect.equal, "e\u{301}", "\u{e9}")
equal(raised.message, [[expected "\u{E9}", got "e\u{301}"]])
assert(raised.hint:find("spelled out", 1, true), raised.hint)
raised = failed(expect.same, { "a\u{200b}\n\"b" }, { "a\n\"b" })
assert(raised.message:find([[got "a\u{200B}\n\"b"]], 1, true), raised.message)
equal(failed(expect.equal, "über", "ober").actual, "\"über\"")
