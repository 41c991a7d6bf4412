local narrow = journey.fixture("narrow", function() return "narrow" end)
local wide = journey.fixture("wide", { scope = "file" }, function(f) return f.name end)
local wrong = journey.fixture("wrong", { scope = "file" }, function(f) f:use(narrow) end)
local self
self = journey.fixture("self", function(j) return j:use(self) end)
journey("by itself and by name", function(j) say(j:use(narrow), j:use "wide") end)
for name, words in pairs { wrong = "cannot use 'narrow'", self = "uses itself" } do
  journey(name, function(j)
    local good, message = pcall(j.use, j, name)
    say(tostring(not good and message:find(words, 1, true) ~= nil))
  end)
end
journey("unknown", function(j) say((select(2, pcall(j.use, j, "unknown")):gsub("^.-: ", ""))) end)
