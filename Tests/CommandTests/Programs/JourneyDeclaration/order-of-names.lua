journey.configure { parallel = true }
for number = 1, 12 do
  local names = {}
  for name in pairs { a = 1, b = 1, c = 1, d = 1, e = 1 } do names[#names + 1] = name end
  for _, name in ipairs(names) do
    journey(name .. number, function(j) say(j.name) end)
  end
end
journey("by chance " .. tostring({}), function() say "by chance" end)
