local base = given.base
local redirect = "http://127.0.0.1:8910/callback"
local function show(options)
  options.username = options.username or "ada@corp.example"
  options.password = options.password or "right-one"
  return ui.show(ui.webdriver(options), base .. "/app?state=s1&redirect_uri=" .. redirect, redirect)
end
equal(show {}, redirect .. "?state=s1&code=good")
local err = refused("webConsentDenied", show, { consent = false })
equal(err.details.field, "Cancel")
err = refused("webCredentialsRefused", show, { password = "wrong-one" })
assert(err.message:find("Wrong password", 1, true), err.message)
assert(not tostring(err):find("wrong-one", 1, true), tostring(err))
err = refused("webCredentialsRefused", show, { username = "nobody" })
assert(err.message:find("No such user", 1, true), err.message)
-- Without scripts there is nothing to fill.
err = refused("webPageUnusable", ui.show, flows.form "ada@corp.example", base .. "/app", redirect)
