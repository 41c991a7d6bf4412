local webdriver, base = require "luath.webdriver", given.base
local page <close> = webdriver.open()
page:go(base .. "/")
local items = page:findAll { role = "listitem" }
equal(#items, 3)
equal(items[2]:text(), "Two Remove")
items[2]:find({ role = "button" }):click()
equal(items[2]:text(), "Two Gone")
equal(#page:findAll { role = "button", name = "Remove" }, 2)
equal(#page:findAll "table", 0)
equal(page:text { css = "li b", nth = 3 }, "Three")
assert(tostring(items[1]):find("PageElement", 1, true))
equal(page:isVisible { text = "Three" }, true)
equal(page:isVisible { text = "Four" }, false)
