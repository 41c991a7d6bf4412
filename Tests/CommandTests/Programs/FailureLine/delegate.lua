local ui, webdriver = require "luath.ui", require "luath.webdriver"
local google = Auth.OAuthProvider "google.com"

journey("a verb fails", function()
  google:getCredential(ui.webdriver {
    script = function(page)
      page:click({ text = "nothing like that" }, { timeout = 0.1 })
    end,
  })
end)

journey("a function fails", function()
  local function helper(page)
    local _ = page.nothing.more
  end
  google:getCredential(function(request)
    helper(request)
    return request.url
  end)
end)

journey("a function raises an error of Auth", function()
  google:getCredential(function()
    error(Auth.createError "userDisabled")
  end)
end)
