-- What holds between journeys; specs of `it` share more, as in busted.
local expect = require "luath.expect"
local journey = require "luath.journey"
local webdriver = require "luath.webdriver"

expect.extend { always = function() return true end }

journey("a journey may add checks and placeholders", function()
  expect.extend { mine = function() return true end }
  expect.any.uid = expect.any.value
  expect.mine(1)
  expect.no.equal(1, 2)
end)

journey("the older names of a journey's test users and their methods still work", function(j)
  local ada = j.people:new { password = "correct horse" }
  assert(j.people == j.users)
  ada:signIn().user:sendEmailVerification()
  expect.same(ada:ways(), ada:signInMethods())
  expect.same(ada:letter(), ada:newestEmail())
end)

local old = journey.fixture("old", { scope = "file" }, function(f) return f.people == f.users end)
journey("so does that of a fixture of the file", function(j) assert(j:use(old)) end)

journey("checks and placeholders that a journey adds end with it", function()
  expect.always(1)
  expect.raises(expect.any.string "no check 'mine'", function() expect.mine(1) end)
  expect.no.matches(1, expect.any.uid)
end)

local run = journey.fixture("run", { scope = "run" }, function() return { n = { 1 } } end)
for index = 1, 3 do
  journey("a journey changes its own copy of what a fixture of the run gives: " .. index, function(j)
    expect.same(j:use(run), { n = { 1 } })
    j:use(run).n[1] = 7
  end)
end

journey.group("what a journey changed of Lua and luath is put back", function()
  journey("pollutes", function()
    getmetatable("").__add = function() return 1 end
    debug.setmetatable(0, { __index = { x = 1 } })
    debug.setmetatable(nil, { __index = function() return 1 end })
    collectgarbage "stop"
    io.output(io.stderr)
    expect.same = function() end
    expect.leaked = 1
    os.setlocale "C.UTF-8"
  end)

  journey("is clean", function()
    assert(not pcall(function() return "a" + "b" end))
    assert(debug.getmetatable(0) == nil and debug.getmetatable(nil) == nil)
    assert(collectgarbage "isrunning")
    assert(io.output() == io.stdout)
    assert(not pcall(expect.same, 1, 2))
    assert(rawget(expect, "leaked") == nil)
    assert(os.setlocale() == "C")
  end)

  journey("breaks strings", function() getmetatable("").__index = nil end)

  journey("is clean again", function() assert(("x"):rep(2) == "xx") end)
end)

journey.group("a page of a wide fixture or a block's setup serves all its journeys", function()
  local shared = journey.fixture("shared", { scope = "file", timeout = 30 }, function(f)
    local page = webdriver.open {}
    f:defer(function() page:close() end)
    page:go "data:text/html,<p>shared</p>"
    return page
  end)
  local own, stray
  journey.beforeAll(function()
    own = webdriver.open {}
    own:go "data:text/html,<p>own</p>"
  end)

  for number = 1, 2 do
    journey("number " .. number, { timeout = 30 }, function(j)
      assert(j:use(shared):text "p" == "shared")
      assert(own:text "p" == "own")
      if number == 1 then
        stray = webdriver.open {}
      else
        local good, err = pcall(stray.go, stray, "about:blank")
        assert(not good and err.code == "pageClosed", tostring(err))
      end
    end)
  end
end)
