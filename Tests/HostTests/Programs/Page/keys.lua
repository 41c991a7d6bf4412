local webdriver, base = require "luath.webdriver", given.base
local page = webdriver.open()
page:go(base .. "/")
page:fill("input", "words")
page:press("Control+a", "input")
page:press "Backspace"
page:press "x"
page:find("input"):press "Enter"
page:waitFor { fn = "return document.title === 'sent x'" }
