local page = require("luath.webdriver").open { windowSize = { 1020, 500 } }
local found = 0
for line in io.popen("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'"):lines() do
  if line == "--window-size=1020,500" then found = found + 1 end
end
assert(found > 0, "no browser with that window")
