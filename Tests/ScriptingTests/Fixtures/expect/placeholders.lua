-- Placeholders: what each takes and refuses, inside tables too, and how it is printed.
local Auth = require "luath.auth"
local expect = require "luath.expect"
local failed = require "expect.failed"

local any = expect.any
local token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEiLCJyb2xlIjp7ImEiOjF9LCJleHAiOjE3OTUzMTAxMDd9."

local cases = {
  { any.value, { 1, false, "" }, {} },
  { any.boolean, { true, false }, { 1, "true" } },
  { any.func, { print }, { {} } },
  { any.userdata, { io.stdout }, { {} } },
  { any.string, { "", "a" }, { 1, {} } },
  { any.string "^%d+$", { "123" }, { "12a", 123 } },
  { any.number, { 1, 1.5 }, { "1" } },
  { any.number { min = 1, max = 3 }, { 1, 2.5, 3 }, { 0, 3.1, "2", 0 / 0 } },
  { any.integer, { 1 }, { 1.0, "1" } },
  { any.integer { min = 5 }, { 5 }, { 4, 5.0 } },
  { any.table, { {}, { 1 } }, { "" } },
  { any.table { a = 1 }, { { a = 1, b = 2 } }, { { b = 2 }, 1 } },
  { any.list, { {}, { 1 } }, { { a = 1 }, 1 } },
  { any.list(any.string), { {}, { "a" } }, { { 1 }, { "a", 1 }, "a" } },
  { any.of("a", any.number), { "a", 5 }, { "b", {} } },
  { any.uid, { "PJKsvwXBCg7zPcCgDkPpSseJZw0k", "x" }, { "", "a b", ("x"):rep(129), 5 } },
  { any.email, { "a@b.c", "a+b@b.example" }, { "a", "a@", "@b", "a@b@c", "a b@c", "a@b..c", 1 } },
  { any.email "b.example", { "a@b.example", "A@B.EXAMPLE" }, { "a@c.example", "a@xb.example" } },
  { any.url, { "http://127.0.0.1:80/", "https://a.b?c" }, { "a.b", "ftp://a", "http://", "http:// a" } },
  {
    any.uuid,
    { "123e4567-e89b-12d3-a456-426614174000" },
    { "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", 1 },
  },
  {
    any.timestamp,
    { 1795310107, 1795310107000, "1795310107", "2026-11-22T00:01:02Z", "2026-11-22T00:01:02.5+01:00" },
    { 5, "5", "2026-13-22T00:01:02Z", "2026-11-22", "now", true, 1e15 },
  },
  { any.jwt, { token }, { "a.b.c", "eyJ", 5 } },
  { any.jwt { sub = "ada", role = { a = any.number } }, { token }, { "a.b.c" } },
  { any.jwt { sub = "bob" }, {}, { token } },
  { any.object "User", {}, { {}, io.stdout } },
  { any.object "AuthError", { Auth.createError "internalError" }, { {}, "AuthError", io.stdout } },
  {
    any.where(function(value)
      return value == 7, "it is not seven"
    end, "seven"),
    { 7 },
    { 8 },
  },
}

for _, case in ipairs(cases) do
  local placeholder, good, bad = table.unpack(case)
  local words = tostring(placeholder)
  assert(words:find "^any%.%l+", words)
  for _, value in ipairs(good) do
    expect.matches(value, placeholder)
    expect.same({ { value } }, { { placeholder } })
    expect.contains({ 0, value }, placeholder)
    expect.no.matches(nil, placeholder)
  end
  for _, value in ipairs(bad) do
    local raised = failed(expect.same, { a = value }, { a = placeholder })
    assert(raised.message:find(".a differs", 1, true), raised.message)
    assert(raised.message:find("any.", 1, true), raised.message)
  end
end

expect.matches({}, { a = any.absent })
expect.same({}, { a = any.absent })
failed(expect.matches, { a = 1 }, { a = any.absent })
failed(expect.same, {}, { a = any.value })

-- Why one does not fit.
local raised = failed(expect.matches, { t = token }, { t = any.jwt { role = { a = 2 } } })
assert(raised.message:find("its claim role.a is 1", 1, true), raised.message)
raised = failed(expect.matches, 8, cases[#cases][1])
assert(raised.message:find("it is not seven", 1, true), raised.message)
raised = failed(expect.matches, { "a", 5 }, any.list(any.string))
assert(raised.message:find("item 2 is 5", 1, true), raised.message)

-- Called with nothing, a placeholder is itself.
assert(any.uid() == any.uid and any.string() == any.string and any.integer() == any.integer)

-- Mistakes are told as such.
for words, f in pairs {
  ["did you mean 'string'"] = function()
    return any.strnig
  end,
  ["any.boolean takes no arguments"] = function()
    local wrong = any.boolean(true)
    return wrong
  end,
  ["bad argument #1 to 'any.string' (string expected, got table)"] = function()
    return any.string {}
  end,
  ["bad argument #1 to 'any.number' (no option 'mim')"] = function()
    return any.number { mim = 1 }
  end,
  ["option 'min': number expected, got string"] = function()
    return any.number { min = "1" }
  end,
  ["bad argument #1 to 'any.jwt' (table expected, got string)"] = function()
    return any.jwt "x"
  end,
  ["bad argument #1 to 'any.where' (function expected, got no value)"] = function()
    return any.where()
  end,
} do
  local good, err = pcall(f)
  assert(not good and err:find(words, 1, true), tostring(err))
  assert(err:find "expect/placeholders%.lua:%d+: ", err)
end
