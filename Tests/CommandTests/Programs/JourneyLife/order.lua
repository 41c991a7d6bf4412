for _, kind in ipairs { "beforeAll", "afterAll", "beforeEach", "afterEach" } do
  journey[kind](function() say("file", kind) end)
end
journey.group("group", function()
  for _, kind in ipairs { "beforeAll", "afterAll", "beforeEach", "afterEach" } do
    journey[kind](function() say("group", kind) end)
  end
  journey("one", function(j)
    j:defer(function() say "deferred first" end)
    j:defer(function() say "deferred last" end)
    say "one"
  end)
  journey("two", function() say "two" end)
end)
