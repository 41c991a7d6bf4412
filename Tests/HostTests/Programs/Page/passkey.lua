local webdriver, base = require "luath.webdriver", given.base
local page = webdriver.open()
-- Passkeys belong to a name, which an address in numbers is not.
page:go((base:gsub("127%.0%.0%.1", "localhost")) .. "/")
local key = page:addAuthenticator()
page:click "#make"
page:waitFor { text = "made public-key" }
local passkeys = page:passkeys(key)
equal(#passkeys, 1)
equal(passkeys[1].rpId, "localhost")
equal(passkeys[1].resident, true)
page:click "#use"
page:waitFor { text = "used public-key" }
page:setVerified(key, false)
page:click "#use"
page:waitFor { text = "failed NotAllowedError" }
page:removeAuthenticator(key)
mistake("ctap2", page.addAuthenticator, page, { protocol = "x" })
mistake("usb", page.addAuthenticator, page, { transport = "x" })
refused("notSupported", page.removeAuthenticator, page, "unknown")
