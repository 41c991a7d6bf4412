local browser = require "support.browser"
local page, person, redirect = browser.page, browser.person, browser.redirect
local one = provider("microsoft.com", "ada@contoso.example", { prompt = "consent" })
local keyboard = host.env "KEYBOARD"
local last
local function begin(browser)
  local waiting, url = task.spawn(function() return auth:signIn(one, browser) end)
  repeat
    url = http.get(keyboard).body:match ".*\n  (http%S+)\n\nThen paste"
  until url and url ~= last
  last = url
  return waiting, url
end
for _, browser in ipairs { ui.browser(), ui.browser { open = function() return false end } } do
  local waiting, url = begin(browser)
  http.post(keyboard, { body = ui.show(form "ada@contoso.example", url, redirect(url)) })
  equal(waiting:await().user.email, "ada@contoso.example")
end
-- A click on the printed address serves as well.
local waiting, url = begin(ui.browser())
person "ada@contoso.example" (url)
equal(page().status, 200)
equal(waiting:await().user.email, "ada@contoso.example")
http.delete(keyboard)
local err = refused("webBrowserUnavailable", one.getCredential, one, ui.browser())
assert(err.message:find("ssh", 1, true), err.message)
