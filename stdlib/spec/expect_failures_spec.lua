local expect = require "luath.expect"
local equal = require("support.flows").equal
local failed = require "support.failed"

local function lines(raised)
  return raised.diff and table.concat(raised.diff, "\n") or nil
end

describe("failures of luath.expect", function()
  it("a failure shows the place, the source of the whole call and both values", function()
    local raised = failed(function()
      expect.equal("ada", "bob")
    end)
    local line = debug.getinfo(1, "l").currentline - 2
    assert(raised.where:find("expect_failures_spec%.lua:" .. line .. "$"), raised.where)
    equal(raised.expression, 'expect.equal("ada", "bob")')
    equal(raised.expected, '"bob"')
    equal(raised.actual, '"ada"')
    equal(raised.message, 'expected "bob", got "ada"')
    assert(raised.traceback:find("expect_failures_spec.lua:" .. line, 1, true), raised.traceback)
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
  end)

  it("a tail call keeps the line of the check, in a helper too", function()
    local unequal = expect.equal
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
      function() return assert.equal(1, 2) end,
      function() return assert(false) end,
      function() return expect.fail "never" end,
      function() return expect.equal(1) end,
    } do
      local raised = helper(f)
      local line = debug.getinfo(f, "S").linedefined
      local where = type(raised) == "string" and raised:match "^(.-): " or raised.where
      assert(where:find("expect_failures_spec%.lua:" .. line .. "$"), where .. " is not line " .. line)
      if type(raised) == "table" then
        assert(raised.expression:find("^function%(.*%) return ", 1), raised.expression)
        assert(not raised.traceback:find("[C]: in function 'luath.", 1, true), raised.traceback)
      end
    end
  end)

  it("a long path stays whole, and a file that cannot be read has no source", function()
    local path = ("/%s/long.lua"):format(("x"):rep(100))
    local raised = failed(load("local expect = ...\nexpect.equal(1, 2)", "@" .. path), expect)
    equal(raised.where, path .. ":2")
    equal(raised.expression, nil)
  end)

  it("the message has the first difference in the order of the keys, and the diff has all", function()
    local raised = failed(function()
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
  end)

  it("equal lines far from a difference are folded", function()
    local one, other = {}, {}
    for index = 1, 50 do
      one[index], other[index] = index, index
    end
    other[25] = "x"
    local raised = failed(expect.same, one, other)
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
  end)

  it("the diff of matches has only the expected fields", function()
    local raised = failed(expect.matches, { a = 1, b = 2, c = { d = 1, e = 2 } }, { a = 2, c = { d = 1 } })
    equal(raised.message, ".a differs: expected 2, got 1")
    assert(not lines(raised):find "b =", lines(raised))
  end)

  it("texts of several lines are compared by line", function()
    local raised = failed(expect.equal, "one\ntwo\nthree", "one\n2\nthree")
    equal(lines(raised), "  one\n- 2\n+ two\n  three")
  end)

  it("circular tables can be compared and shown", function()
    local circle, twin = { x = 1 }, { x = 1 }
    circle.me, twin.me = circle, twin
    expect.same(circle, twin)
    twin.x = 2
    local raised = failed(expect.same, circle, twin)
    equal(raised.message, ".x differs: expected 2, got 1")
    local deep = {}
    for _ = 1, 150 do
      deep = { deep }
    end
    assert(#failed(expect.same, deep, {}).actual < 200)
  end)

  it("deep and wide tables, and tables that occur often, are compared and shown", function()
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
    local raised = failed(expect.same, chain, twin_)
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
  end)

  it("long values are shortened between characters", function()
    local raised = failed(expect.equal, ("ü"):rep(5000), "x")
    assert(utf8.len(raised.message) and #raised.message < 300, raised.message)
    assert(utf8.len(raised.actual) and #raised.actual < 2200)
    raised = failed(expect.equal, "\0\255\n\"", "x")
    equal(raised.actual, [["\x00\xFF\n\""]])
  end)

  it("numbers are shown as Lua reads them", function()
    for text, value in pairs {
      ["1"] = 1, ["1.0"] = 1.0, ["0.1"] = 0.1, ["math.huge"] = math.huge, ["-math.huge"] = -math.huge,
      ["0.30000000000000004"] = 0.1 + 0.2, ["1e+100"] = 1e100, ["nan"] = 0 / 0,
    } do
      equal(failed(expect.isNil, value).actual, text)
    end
  end)

  it("the hint explains values that look alike", function()
    assert(failed(expect.equal, 1, "1").hint:find("a number, the other a string", 1, true))
    assert(failed(expect.equal, "a ", "a").hint:find("blanks", 1, true))
    assert(failed(expect.equal, "A", "a").hint:find("case", 1, true))
    assert(failed(expect.equal, { 1 }, { 1 }).hint:find("expect.same", 1, true))
    assert(failed(expect.equal, "u", expect.any.uid).hint:find("expect.matches", 1, true))
  end)

  it("the claims of a token are shown, and not the token or its signature", function()
    local token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEiLCJleHAiOjE3OTUzMTAxMDd9.c2lnbmF0dXJl"
    local raised = failed(expect.same, { token = token }, { token = "x" })
    assert(raised.actual:find "%[token %d+%]<sub=ada, exp=1795310107>", raised.actual)
    for _, text in ipairs { tostring(raised), raised.actual, raised.message, lines(raised) } do
      assert(not text:find("c2lnbmF0dXJl", 1, true), text)
    end
  end)

  it("an object whose tostring fails does not hide the failure", function()
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
  end)

  it("of long texts the surroundings of the first difference are shown, and its position", function()
    local long <const> = ("abcdefghi "):rep(200)
    local raised = failed(expect.equal, long .. "x" .. long, long .. "ü" .. long)
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
  end)

  it("deep differences are shown with their paths", function()
    local function deep(depth, value)
      local made = { v = value }
      for _ = 1, depth do
        made = { k = made }
      end
      return made
    end
    local raised = failed(expect.same, deep(40, 1), deep(40, 2))
    assert(lines(raised):find "%- *k%.k%.k[.k]*%.v = 2,", lines(raised))
  end)

  it("invisible characters are spelled out where texts differ", function()
    local raised = failed(expect.equal, "e\u{301}", "\u{e9}")
    equal(raised.message, [[expected "\u{E9}", got "e\u{301}"]])
    assert(raised.hint:find("spelled out", 1, true), raised.hint)
    raised = failed(expect.same, { "a\u{200b}\n\"b" }, { "a\n\"b" })
    assert(raised.message:find([[got "a\u{200B}\n\"b"]], 1, true), raised.message)
    equal(failed(expect.equal, "über", "ober").actual, "\"über\"")
  end)
end)
