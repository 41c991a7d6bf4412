local webdriver = require "luath.webdriver"

journey("shows its page", function(j)
  local page <const> = webdriver.open()
  page:go "data:text/html,<title>A shop</title><h1>Tea</h1>"
  j:attach("the basket", "2 teas", "text/csv")
  j:step("pays", function()
    page:click({ text = "Pay" }, { timeout = 0.1 })
  end)
end)
