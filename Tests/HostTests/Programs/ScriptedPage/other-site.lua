local base = given.base
local redirect = "http://127.0.0.1:8910/callback"
local answers = { username = "ada", password = "right-one" }
local err = refused("webPageUnsafe", ui.show, ui.webdriver(answers), base .. "/hop", redirect)
assert(err.message:find("not of the site", 1, true), err.message)
answers.trustedOrigins = { given.other }
refused("webCredentialsRefused", ui.show, ui.webdriver(answers), base .. "/hop", redirect)
