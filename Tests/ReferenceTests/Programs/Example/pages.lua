local webdriver = require "luath.webdriver"
local open, shared = webdriver.open, nil
for _, example in ipairs { EXAMPLES() } do
  local ends = example[1] == "Page:close" or example[1] == "luath.webdriver.open"
  webdriver.open = ends and open or function()
    shared = shared or open { timeout = 5 }
    shared:go "about:blank"
    return shared
  end
  assert(load(example[2], "=" .. example[1], "t"))()
end
