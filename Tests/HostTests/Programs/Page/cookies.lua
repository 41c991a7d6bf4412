local webdriver, base = require "luath.webdriver", given.base
local page = webdriver.open { windowSize = { 400, 300 }, language = "fr" }
page:go(base .. "/")
equal(page:cookies()[1].name, "a")
equal(page:cookies()[1].value, "1")
page:clearCookies()
equal(#page:cookies(), 0)
equal(page:eval "return navigator.language", "fr")
assert(page:screenshot():sub(1, 8) == "\x89PNG\r\n\x1a\n")
local name = os.tmpname()
equal(page:screenshot(name), io.open(name, "rb"):read "a")
os.remove(name)
refused("fileFailed", page.screenshot, page, "/no/such/folder/x.png")
