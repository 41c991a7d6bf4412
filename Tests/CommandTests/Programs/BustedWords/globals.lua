fileWide = "file"
setup(function() bySetup = "setup" end)
describe("a", function()
  ofBlock = "block"
  before_each(function() count = (count or 0) + 1 end)
  it("one", function()
    say(fileWide, bySetup, ofBlock, count)
    ofTest = 1
    _G.shared = 1
  end)
  it("two", function() say(tostring(ofTest), tostring(_G.shared), count) end)
end)
it("outside", function() say(tostring(ofBlock), tostring(count), tostring(_G.fileWide)) end)
