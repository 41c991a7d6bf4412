local webdriver, base = require "luath.webdriver", given.base
local page = webdriver.open { timeout = 0.2 }
page:go(base .. "/")
for _, place in ipairs { "#absent", "button[hidden]", "h1", "input", "a[" } do
  local ok, err = pcall(page.fill, page, place, "hunter2-hunter2")
  assert(not ok)
  for name, value in pairs(err) do
    assert(not tostring(value):find("hunter2", 1, true), name .. ": " .. tostring(value))
  end
end
