--- A function in the place of the user's browser, for the tests of `ui.browser`.
local flows = require "support.flows"
local http = require "luath.http"
local task = require "luath.task"
local ui = require "luath.ui"

local browser = {}

-- What the browser shows at the end.
local shown

--- A browser that runs a function beside the sign-in: it goes on after its page was opened, and after the sign-in.
function browser.beside(f)
  return function(url)
    shown = nil
    task.spawn(function()
      shown = f(url)
    end)
  end
end

--- Waits for the page that the browser shows at the end, and returns it.
function browser.page()
  while not shown do
    task.sleep(0)
  end
  local page = shown
  shown = nil
  return page
end

--- Where a sign-in page comes back to.
function browser.redirect(url)
  return http.parseForm(url).redirect_uri
end

--- The state of a sign-in page.
function browser.state(url)
  return http.parseForm(url).state
end

--- A browser whose user signs in.
function browser.person(email, answers)
  return browser.beside(function(url)
    return http.get(ui.show(flows.form(email, answers), url, browser.redirect(url)))
  end)
end

return browser
