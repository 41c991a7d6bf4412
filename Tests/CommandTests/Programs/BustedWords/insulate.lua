insulate("in", function()
  _G.inside = 1
  package.loaded.fake = {}
  it("sees", function()
    say(tostring(_G.inside), type(package.loaded.fake))
    _G.during = 1
  end)
  it("sees still", function() say(tostring(_G.during)) end)
end)
it("outside", function()
  say(tostring(_G.inside), tostring(_G.during), type(package.loaded.fake))
end)
expose("ex", function()
  exposed = 7
  it("within", function() say(tostring(exposed)) end)
end)
it("after", function() say(tostring(exposed)) end)
