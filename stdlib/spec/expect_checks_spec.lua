local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local expect = require "luath.expect"
local failed = require "support.failed"
local task = require "luath.task"

local auth, any = Auth.auth(), expect.any
local token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEiLCJyb2xlIjp7ImEiOjF9LCJleHAiOjE3OTUzMTAxMDd9."

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

local placeholders = {
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

describe("checks of luath.expect", function()
  it("each check passes and fails as it should", function()
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
  end)

  it("every check was tried", function()
    local tried = {}
    for _, case in ipairs(cases) do
      tried[case[1]] = true
    end
    for name in pairs(require "luath.expect.checks") do
      assert(tried[name], name .. " was not tried")
    end
  end)
end)

describe("placeholders of luath.expect", function()
  it("each placeholder matches its values, also inside tables", function()
    for _, case in ipairs(placeholders) do
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
  end)

  it("an absent field matches nothing else", function()
    expect.matches({}, { a = any.absent })
    expect.same({}, { a = any.absent })
    failed(expect.matches, { a = 1 }, { a = any.absent })
    failed(expect.same, {}, { a = any.value })
  end)

  it("the message says why a placeholder does not match", function()
    local raised = failed(expect.matches, { t = token }, { t = any.jwt { role = { a = 2 } } })
    assert(raised.message:find("its claim role.a is 1", 1, true), raised.message)
    raised = failed(expect.matches, 8, placeholders[#placeholders][1])
    assert(raised.message:find("it is not seven", 1, true), raised.message)
    raised = failed(expect.matches, { "a", 5 }, any.list(any.string))
    assert(raised.message:find("item 2 is 5", 1, true), raised.message)
  end)

  it("a placeholder called without arguments is itself", function()
    assert(any.uid() == any.uid and any.string() == any.string and any.integer() == any.integer)
  end)

  it("mistakes with placeholders are no failures", function()
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
      assert(err:find "expect_checks_spec%.lua:%d+: ", err)
    end
  end)
end)

describe("luath.expect with objects of luath", function()
  it("users, errors and tokens can be checked", function()
    local password = crypto.random()
    local user = auth:createUser("ada@contoso.example", password).user

    expect.isType(user, "User")
    expect.matches(user, {
      uid = expect.any.uid,
      email = expect.any.email "contoso.example",
      isAnonymous = false,
      phoneNumber = expect.any.absent,
    })
    expect.matches({ user = user }, { user = expect.any.object "User" })
    expect.equal(auth.currentUser, user)
    expect.matches(user:getIDToken(), expect.any.jwt { sub = user.uid, email = "ada@contoso.example" })
    expect.contains(user.providerData[1].providerID, "password")

    local raised = failed(expect.matches, user, { email = "bob@contoso.example", nothing = 1 })
    assert(raised.message == '.email differs: expected "bob@contoso.example", got "ada@contoso.example"')
    raised = failed(expect.same, user, {})
    assert(raised.actual:find "^User%(", raised.actual)

    local wrong = Auth.EmailAuthProvider.credential("ada@contoso.example", "not it at all")
    local err = expect.raises("invalidCredential", auth.signIn, auth, wrong)
    expect.matches(err, { code = Auth.ErrorCode.invalidCredential, message = expect.any.string })
    raised = failed(expect.raises, "userDisabled", auth.signIn, auth, wrong)
    assert(raised.message:find("got the error invalidCredential", 1, true), raised.message)
    assert(not tostring(raised):find("not it at all", 1, true))
  end)

  it("eventually waits for a change by another task", function()
    local user = auth:createUser("ada@contoso.example", crypto.random()).user
    local tries = 0
    task.spawn(function()
      repeat task.sleep(0) until tries > 1
      user:updateProfile { displayName = "Ada" }
    end)
    expect.eventually(function()
      tries = tries + 1
      user:reload()
      expect.equal(user.displayName, "Ada")
    end, { interval = 0, timeout = 60 })
    assert(tries > 1, tries)
  end)
end)
