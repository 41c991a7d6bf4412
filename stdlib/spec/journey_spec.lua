-- What holds between journeys; specs of `it` share more, as in busted.
local expect = require "luath.expect"
local journey = require "luath.journey"

expect.extend { always = function() return true end }

journey("a journey may add checks and placeholders", function()
  expect.extend { mine = function() return true end }
  expect.any.uid = expect.any.value
  expect.mine(1)
  expect.no.equal(1, 2)
end)

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
