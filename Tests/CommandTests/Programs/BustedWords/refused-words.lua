local words = { LIST() }
it("one", function()
  for name, word in pairs(words) do
    local good, message = pcall(word, "x", function() end)
    assert(not good and message:find("'" .. name .. "' not supported", 1, true), message)
  end
  say "refused"
end)
