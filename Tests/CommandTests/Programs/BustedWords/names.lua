describe "curried" (function()
  it "too" (function() say "curried" end)
end)
it(function() say "unnamed" end)
context("c", function() spec("s", function() say "spec" end) end)
pending("never", function() say "never" end)
pending "neither"
it("stops", function() pending "not yet" say "never" end)
