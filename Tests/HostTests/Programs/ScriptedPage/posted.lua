local base = given.base
local redirect = given.redirect
local function show(path, redirectURI)
  local delegate = ui.webdriver { username = "ada", redirectURI = redirectURI }
  return ui.show(delegate, base .. path .. "?state=s1", redirect)
end
local fields = http.parseForm(show("/post", redirect))
equal(fields.code, "good")
equal(fields.state, "s1")
equal(http.parseForm(show("/get", redirect)).code, "good")
refused("webStateMismatch", show, "/forged", redirect)
-- Without a listener, what was posted went nowhere.
local err = refused("webPageUnusable", show, "/post")
assert(err.hint:find("redirectURI", 1, true), err.hint)
