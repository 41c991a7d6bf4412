-- Calls assertions, spies and matchers in every way, and prints what came of each, a line a case.
--
-- It runs under lua5.4 and under luath, which embeds luassert; the lines shall be the same.
local ok, own = pcall(require, "luath.spec.modules")
if ok then
  own.install(package.preload)
end

local assert = require "luassert"
local match = require "luassert.match"
local mock = require "luassert.mock"
local say = require "say"
local spy = require "luassert.spy"
local stub = require "luassert.stub"
local util = require "luassert.util"

--- A value in words that are the same in both worlds.
local function shown(value)
  if type(value) == "table" and value.assertion then
    value = value.message
  end
  if type(value) == "table" and not util.is_arglist(value) then
    local parts = {}
    for key, field in pairs(value) do
      parts[#parts + 1] = tostring(key) .. "=" .. tostring(field)
    end
    table.sort(parts)
    value = "{" .. table.concat(parts, ",") .. "}"
  end
  return (tostring(value):gsub("^[^\n]-:%d+: ", ""):gsub("0x%x+", "0x"))
end

local function case(name, f, ...)
  local results = table.pack(pcall(f, ...))
  local words = {}
  for index = 1, results.n do
    words[index] = shown(results[index])
  end
  print(((name .. ": " .. table.concat(words, " | ")):gsub("\n", "\\n")))
end

--- The function at the end of a chain, such as `is_not.equal`.
local function chain(words)
  local found = assert
  for word in words:gmatch "[^.]+" do
    found = found[word]
  end
  return found
end

local circle, twin = { 1 }, { 1 }
circle.me, twin.me = circle, twin
local talkative = setmetatable({}, {
  __tostring = function()
    return "boom"
  end,
})

local values = {
  { "nil", nil }, { "true", true }, { "false", false }, { "0", 0 }, { "1", 1 }, { "1.5", 1.5 },
  { "1.0", 1.0 }, { "a", "a" }, { "text 1", "1" }, { "empty", "" }, { "{}", {} },
  { "list", { 1, 2 } }, { "deep", { a = { b = { c = { d = { e = 1 } } } } } },
}

-- One value.
for words in ([[
  is_true is_false is_not_true truthy is_truthy falsy is_falsy is_not.truthy is_nil is_not_nil
  is_number is_string is_table is_boolean is_function is_userdata is_thread is_not_number
  has_no.error has_error True is.False is_not_function
]]):gmatch "%S+" do
  for _, value in ipairs(values) do
    local name = words .. " " .. value[1]
    case(name, function()
      return chain(words)(value[2])
    end)
    case(name .. " with words", function()
      return chain(words)(value[2], "in words")
    end)
  end
  case(words .. " of nothing", function()
    return chain(words)()
  end)
end

-- Two values.
for words in ([[
  equal equals are_equal same are_same not_equal is_not.equal are_not_same not_same near matches
  match is_not.match unique is_unique error_matches has_error
]]):gmatch "%S+" do
  for _, one in ipairs(values) do
    for _, other in ipairs(values) do
      case(("%s %s, %s"):format(words, one[1], other[1]), function()
        return chain(words)(one[2], other[2])
      end)
    end
  end
  case(words .. " of one", function()
    return chain(words)("x")
  end)
end

--- Calls with several lists of arguments.
local function each(words, lists)
  for index, list in ipairs(lists) do
    case(words .. " " .. index, function()
      return chain(words)(table.unpack(list, 1, list.n or #list))
    end)
  end
end

local equal = { __eq = function() return true end }
local function equalTo(value)
  return setmetatable({ value }, equal)
end

each("same", {
  { { 1, 2, { a = 1, b = { c = 2 } } }, { 1, 2, { a = 1, b = { c = 3 } } } },
  { { 1, [true] = 1, [1.5] = 2 }, { 1, [true] = 1 }, "in words" },
  { circle, twin }, { equalTo(1), equalTo(2) }, { { equalTo(1) }, { equalTo(2) } },
})
each("not_same", { { { 1 }, { 1 }, { words = 1 } }, { circle, twin } })
each("equal", {
  { equalTo(1), equalTo(2) }, { 0.1, 0.1 + 0.2 }, { 1 / 0, -1 / 0 }, { 1e100, 1 }, { 2 ^ 53, 1 },
  { "a\nb", 'q"' }, { talkative, 1 }, { setmetatable({}, { __metatable = false }), 1 },
  { match.is_string(), 1 }, { match.is_not.near(1, 2), 1 },
})
local near = {
  { 1, 1.1, 0.2 }, { 1, 2, 0.5 }, { "1", "1.1", 0.2 }, { 1, 2, 0.5, "in words" }, { 1, "x", 1 },
  { 1, 2, {} }, { 1, 2 },
}
each("near", near)
each("is_not.near", near)
local patterns = {
  { "^a", "abc" }, { "(b)(c)", "abc" }, { "z", "abc" }, { "z", "abc", "in words" },
  { "b", "abc", 2 }, { "a", "abc", 2 }, { ".", "abc", 1, true }, { "b", "abc", 1, true },
  { "b", "abc", 1, true, "in words" }, { "z", "abc", 1, true, "in words" }, { "1", 123 },
  { "boo", talkative }, { 1, "a" }, { "a", "a", "b", "c" },
}
each("matches", patterns)
each("no.matches", patterns)
each("unique", {
  { { 1, 2, 1 } }, { { { 1 }, { 1 } } }, { { { 1 }, { 1 } }, true }, { { { 1 }, { 1 } }, "x", true },
  { { { 1 }, { 1 } }, true, "x" }, { { { 1 }, { 1 } }, nil, "x", n = 3 },
})
local counts = { { 2, 1, nil, n = 3 }, { 2, 1 }, { 0 }, { 1, 1 }, { 3 } }
each("returned_arguments", counts)
each("not_returned_arguments", counts)

-- Errors of all kinds.
local function thrower(value)
  return function()
    error(value, type(value) == "string" and 1 or 0)
  end
end
for index, pattern in ipairs(patterns) do
  for _, words in ipairs { "error_matches", "no.error_match", "matches_error" } do
    case(("%s %d"):format(words, index), function()
      return chain(words)(thrower(pattern[2]), pattern[1], table.unpack(pattern, 3))
    end)
  end
end
local raised = { "boom", 5, { code = 1 }, false, talkative, n = 6 }
local wanted = { "boom", 5, { code = 1 }, false, talkative, nil, "other", n = 7 }
for index = 1, raised.n do
  for other = 1, wanted.n do
    for _, words in ipairs { "has_error", "errors", "has_no.error" } do
      case(("%s %d, %d"):format(words, index, other), function()
        return chain(words)(thrower(raised[index]), wanted[other], other == 7 and "in words" or nil)
      end)
    end
  end
end
each("has_error", {
  { function() end }, { function() end, "x", "in words" }, { thrower "12", 12 }, { 5 },
})

-- Arrays, messages, chains that are none, and assert itself.
local function cases(title, list)
  for index, f in ipairs(list) do
    case(title .. " " .. index, f)
  end
end

cases("assert", {
  function() return assert.array({ 1, nil, 3 }).has.holes() end,
  function() return assert.array({ 1, nil, 3 }).has.no.holes() end,
  function() return assert.array({ 1, 2, 3 }).has.holes(4) end,
  function() return assert.array({ 1, 2, 3 }).has.holes() end,
  function() return assert.holes() end,
  function() return assert.array().holes() end,
  function() return assert.array({}).holes "x" end,
  function() return assert.message("hello").is_true(false) end,
  function() return assert.message({ 1 }).is_true(false) end,
  function() return assert.is_foo(false) end,
  function() return assert.foo.bar(false) end,
  function() return assert.foo.equal(1, 1) end,
  function() return assert(1, 2, 3, 4) end,
  function() return assert(false) end,
  function() return assert(nil, "in words") end,
  function() return assert(false, { 1 }) end,
  function() return assert:get_level(assert:level(3)), assert:get_level(3) end,
})

--- A spy that was called three times.
local function called()
  local made = spy.new(function(a, b)
    return a, b, 3
  end)
  made(1, { x = 1 })
  made "a"
  made(nil, 2)
  return made
end

for index, f in ipairs {
  function(s) return assert.spy(s).was.called() end,
  function(s) assert.spy(s).was.called(3) end,
  function(s) assert.spy(s).was.called(2) end,
  function(s) assert.spy(s).was_not.called() end,
  function(s) assert.spy(s).was_not_called(3) end,
  function(s) assert.spy(s).was.called_at_least(4) end,
  function(s) assert.spy(s).was.called_at_least(2) end,
  function(s) assert.spy(s).was.called_at_most(2) end,
  function(s) assert.spy(s).was.called_more_than(3) end,
  function(s) assert.spy(s).was.called_less_than(3) end,
  function(s) assert.spy(s).was_not.called_at_least(3) end,
  function(s) assert.spy(s).was_not.called_less_than(4) end,
  function(s) assert.spy(s).was_not.called_more_than(1) end,
  function(s) assert.spy(s).was.called_with(1, { x = 1 }) end,
  function(s) assert.spy(s).was.called_with(1, { x = 2 }) end,
  function(s) assert.spy(s).was.called_with(match.is_number(), match._) end,
  function(s) assert.spy(s).was.called_with(match.is_not_number()) end,
  function(s) assert.spy(s).was.called_with(nil, 2) end,
  function(s) assert.spy(s).was_not.called_with "a" end,
  function(s) assert.spy(s).was_not.called_with "b" end,
  function(s) assert.spy(s, "in words").was.called_with "b" end,
  function(s) assert.spy(s).was.returned_with("a", nil, 3) end,
  function(s) assert.spy(s).has.returned_with "b" end,
  function(s) assert.spy(s).has_not.returned_with(1, { x = 1 }, 3) end,
  function(s) assert.spy(s).was.called_with(match.is_table()) end,
  function(s) assert.spy(s).was.called_with(1, match.ref {}) end,
  function() assert.was.called() end,
  function() assert.spy(print).was.called() end,
  function() assert.spy({}).was.called_with() end,
  function() assert.was.called_with() end,
  function() assert.was.returned_with() end,
  function(s) assert.spy(s:clear()).was.called() end,
  function(s) assert.spy(s:clear()).was.called_with(1) end,
  function(s) return s:called(), s:called(3), s:called_with { 1, { x = 1 } } end,
  function(s)
    local kept = assert.spy(s).was
    kept.called(3)
    kept.called_with "a"
  end,
  function(s)
    local kept = assert.spy(s).was_not
    kept.called(2)
    kept.called_with "a"
  end,
  function(s)
    local kept = assert.spy(s).was_not
    kept.called(2)
    kept.called_with "zz"
  end,
  function(s) return spy.is_spy(s), spy.is_spy {}, spy.is_spy(print) end,
  function() spy.new(5) end,
} do
  case("spy " .. index, function()
    return f(called())
  end)
end

--- A table with a function.
local function service()
  return {
    send = function()
      return 7
    end,
  }
end

cases("stub", {
  function()
    local t = service()
    local before = t.send
    local made = spy.on(t, "send")
    local given = t.send()
    return made:revert() == before, given, t.send == before, made:revert() == before
  end,
  function()
    local t = service()
    local made = stub(t, "send")
    local first = t.send()
    made.returns(5)
    local second = t.send()
    made:revert()
    return first, second, t.send(), #made.calls
  end,
  function()
    local t = {}
    local made = stub(t, "send", 1, nil, 3)
    local count = select("#", t.send())
    made:revert()
    return count, t.send
  end,
  function()
    return stub({}, "double", function(value)
      return value * 2
    end)(4)
  end,
  function()
    local made = stub()
    made.on_call_with(1).returns "one"
    made.on_call_with(match.is_string()).invokes(function(text)
      return text .. "!"
    end)
    made.by_default.returns "else"
    return made(1), made "x", made(2), made()
  end,
  function() stub(5, "x") end,
  function() stub({ x = 5 }, "x") end,
  function() stub {} end,
  function()
    return stub({}, "f").invokes(function(...)
      return ...
    end)(1, 2, 3)
  end,
  function()
    local made = stub()
    made()
    assert.stub(made).was.called(1)
    assert.stub(made).was.called(2)
  end,
  function()
    local t = { a = service().send, b = { c = service().send }, d = 5 }
    mock(t)
    t.a()
    t.b.c(9)
    assert.spy(t.b.c).was.called_with(9)
    mock.clear(t)
    assert.spy(t.a).was_not.called()
    mock.revert(t)
    return type(t.a), t.a(), t.d
  end,
  function()
    local t = mock(service(), true)
    return t.send(), spy.is_spy(t.send)
  end,
  function()
    return mock(service(), true, function()
      return 9
    end).send()
  end,
})

cases("snapshot", {
  function()
    local snapshot, t = assert:snapshot(), service()
    stub(t, "send")
    local stubbed = t.send()
    snapshot:revert()
    return stubbed, t.send()
  end,
  function()
    local snapshot = assert:snapshot()
    assert:set_parameter("TableFormatLevel", 1)
    local text = assert:format({ { a = { b = 1 } }, n = 1 })[1]
    snapshot:revert()
    return text, assert:get_parameter "TableFormatLevel"
  end,
  function()
    local snapshot = assert:snapshot()
    assert:add_formatter(function(value)
      return value == 42 and "the answer" or nil
    end)
    local _, err = pcall(assert.equal, 42, 43)
    snapshot:revert()
    return shown(err), pcall(snapshot.revert, snapshot)
  end,
  function()
    assert:set_parameter("TableFormatShowRecursion", true)
    local _, err = pcall(assert.same, circle, { 2 })
    assert:set_parameter("TableFormatShowRecursion", false)
    return shown(err)
  end,
  function()
    assert:set_parameter("x", nil)
    assert:set_parameter("y", false)
    return assert:get_parameter "x", assert:get_parameter "y"
  end,
  function()
    local binary = require "luassert.formatters.binarystring"
    return binary "hello \1\2 world, this is long \255", binary(5), binary ""
  end,
})

cases("own", {
  function()
    say:set("assertion.even.positive", "%s is odd")
    say:set("assertion.even.negative", "%s is even")
    assert:register("assertion", "even", function(_, arguments)
      return arguments[1] % 2 == 0
    end, "assertion.even.positive", "assertion.even.negative")
    assert.is_even(2)
    assert.is_not_even(3)
    local _, first = pcall(assert.is_even, 3)
    local _, second = pcall(assert.is_not.even, 2)
    assert:unregister("assertion", "even")
    return shown(first), shown(second), (pcall(assert.is_even, 2))
  end,
  function()
    assert:register("assertion", "has_property", function(_, arguments)
      return arguments[1][arguments[2]] ~= nil
    end)
    assert.has_property({ a = 1 }, "a")
    assert.has_property({ a = 1 }, "b")
  end,
  function()
    assert:register("modifier", "twice", function(state)
      state.isTwice = true
    end)
    assert:register("assertion", "big", function(state, arguments)
      return arguments[1] > (rawget(state, "isTwice") and 20 or 10)
    end)
    return assert.is.big(15), (pcall(assert.is.twice.big, 15))
  end,
  function()
    assert:register("matcher", "long", function(_, arguments)
      return function(value)
        return #value >= arguments[1]
      end
    end)
    local made = spy.new()
    made "abc"
    assert.spy(made).was.called_with(match.is_long(3))
    assert.spy(made).was.called_with(match.is.long(4))
  end,
})

cases("say", {
  function() return say("assertion.same.positive", { "a", "b" }), say "nope" end,
  function()
    say:set_namespace "de"
    say:set("x.y", "hallo %s")
    local own_, other = say("x.y", { "du" }), say("assertion.truthy.positive", { 1 })
    say:set_namespace "en"
    return own_, other, say "x.y"
  end,
  function() say("x", 5) end,
})

cases("util", {
  function()
    local list = util.make_arglist(1, nil, 3)
    util.tinsert(list, 2, "x")
    local count = list.n
    util.tremove(list, 1)
    return count, list.n, list[1], list[2], list[3], util.tremove(list, 9), util.is_arglist(list)
  end,
  function() return util.callable(print), util.hastostring "", util.hastostring(talkative) end,
  function() return (util.deepcompare({ 1, { 2 } }, { 1, { 2 } })) end,
  function()
    local good, trail = util.deepcompare({ 1, { a = { b = 1 } } }, { 1, { a = { b = 2 } } })
    return good, table.concat(trail, ".")
  end,
  function()
    local one = { 1, { 2 } }
    one.me = one
    local copy = util.deepcopy(one)
    return copy.me == copy, copy[2] ~= one[2], copy[2][1]
  end,
})

cases("match", {
  function() return match.is_matcher(match._), match.is_matcher(1) end,
  function() return match.is_ref_matcher(match.ref {}), match.is_nil()(nil), match.is_nil()(1) end,
  function() return match.is_not_nil()(1), match.near(1, 0.1)(1.05), match.matches "a" "ba" end,
  function() return match.is_not.matches "a" "ba", match.same { 1 } { 1 }, match.equals(1)(1) end,
  function() return match.unique() { 1, 1 }, match.is_truthy()(false) end,
  function() return match.all_of(match.is_number(), match.equals(2))(2) end,
  function() return match.any_of(match.is_string(), match.equals(2))(3) end,
  function() return match.none_of(match.is_string())(3) end,
  function() match.near(1) end,
  function() match.matches(1) end,
  function() match.ref(1) end,
  function() match.all_of(1) end,
  function() match.foo() end,
  function() return match.equals() end,
})
