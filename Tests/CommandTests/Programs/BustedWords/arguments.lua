local function count(...) say(tostring(select("#", ...))) end
setup(count)
before_each(count)
after_each(count)
it("one", count)
