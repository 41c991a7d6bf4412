local webdriver, base = require "luath.webdriver", given.base
local page = webdriver.open()
page:go(base .. "/")
page:fill({ label = "Name", frame = "#one" }, "framed")
equal(page:value({ label = "Name", frame = "#one" }), "framed")
page:click { role = "button", frame = { "#one", "iframe" } }
equal(page:text { role = "button", frame = { "#one", "iframe" } }, "Pressed")
equal(page:title(), "Outside")
page:fill({ label = "Deep" }, "shadowed")
equal(page:value "#deep", "shadowed")
local err = refused("elementNotFound", page.click, page, { text = "x", frame = "#none" }, { timeout = 0.2 })
assert(err.message:find("frame", 1, true), err.message)
