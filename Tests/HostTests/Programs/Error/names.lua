for _, name in ipairs(given.names) do
  equal(Auth.ErrorCode[name], name)
end
