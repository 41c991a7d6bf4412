for _, scope in ipairs { "file", "run" } do
  local wide = journey.fixture(scope, { scope = scope }, function()
    expect.soft.equal(1, 2, scope .. " is soft")
    return 1
  end)
  journey(scope .. " one", function(j) j:use(wide) j:use(wide) end)
  journey(scope .. " two", function(j) j:use(wide) end)
end
journey.group("block", function()
  journey.beforeAll(function() expect.soft.equal(1, 2, "block is soft") end)
  journey("first", function() say "first" end)
  journey("second", function() say "second" end)
end)
