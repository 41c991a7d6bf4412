--- The way through Glewlwyd's pages, which have permissions to tick, a button for them, and another
--- button that leads on.
local glewlwyd <const> = {}

--- Logs in and grants what is asked for.
function glewlwyd.pass(page, username, password)
  local grant <const> = { role = "button", name = "Grant access" }
  local proceed <const> = { role = "button", name = "Continue" }
  page:fill("#username", username)
  page:fill("#password", password)
  page:click("button[type=submit]")
  page:find(proceed)
  if page:isVisible(grant) then
    page:check { label = "profile" }
    page:check { label = "email" }
    page:click(grant)
    page:waitFor { gone = grant }
  end
  page:click(proceed)
end

return glewlwyd
