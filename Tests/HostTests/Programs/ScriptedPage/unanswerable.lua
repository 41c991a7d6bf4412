local base = given.base
local redirect = "http://127.0.0.1:8910/callback"
local function fails(code, path, options)
  options = options or {}
  options.username = "ada"
  return refused(code, ui.show, ui.webdriver(options), base .. path, redirect)
end
local err = fails("webPageUnusable", "/canvas")
equal(err.details.title, "Game")
equal(err.details.page, base .. "/canvas")
assert(err.hint:find("script", 1, true), err.hint)
fails("webContextTimedOut", "/slow", { timeout = 2 })
fails("webSignInUserInteractionFailure", "/error")
fails("webSignInUserInteractionFailure", "/none")
fails("webNetworkRequestFailed", "/away")
refused("webNetworkRequestFailed", ui.show, ui.webdriver { username = "a" }, "http://127.0.0.1:1/", redirect)
