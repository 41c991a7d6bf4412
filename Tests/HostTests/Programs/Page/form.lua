local webdriver, base = require "luath.webdriver", given.base
local page = webdriver.open()
page:go(base .. "/")
equal(page:title(), "Account")
page:fill({ label = "Name" }, "Grace Hopper")
equal(page:value "#n", "Grace Hopper")
page:fill({ placeholder = "lovelace" }, "Ada & Bab\u{E9} \u{1F600}")
page:fill({ role = "textbox", name = "Note" }, "two\nlines")
page:fill({ label = "Password" }, "correct horse")
page:fill({ label = "Day" }, "1815-12-10")
page:check { label = "I agree" }
page:check { label = "I agree" }
page:check { role = "radio", name = "Large" }
page:select({ label = "Colour" }, "Green")
equal(page:attribute("select", "name"), "colour")
equal(page:attribute("select", "absent"), nil)
page:click { testId = "save" }
page:waitFor { url = "*/saved*" }
equal(page:title(), "Saved")
page:back()
equal(page:title(), "Account")
page:close()
