local webdriver, base = require "luath.webdriver", given.base
local page = webdriver.open()
page:go(base .. "/")
page:click { role = "button", name = "Press" }
equal(page:title(), "pressed")
page:fill("#late", "in time")
equal(page:text { text = "here now" }, "Here now")
page:eval "setTimeout(() => document.querySelector('p').remove(), 200)"
page:waitFor { gone = { text = "Here now" } }
page:waitFor { fn = "return document.title === arguments[0]", arguments = { "pressed" } }
equal(page:eval "return new Promise(done => setTimeout(() => done(7), 50))", 7)
equal(page:eval("return arguments[0].id + arguments[1].a", page:find "#late", { a = 1 }), "late1")
equal(page:eval "return null", nil)
page.timeout = 0.2
equal(page.timeout, 0.2)
refused("elementNotFound", page.click, page, "#none")
