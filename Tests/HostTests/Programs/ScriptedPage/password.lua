local base = given.base
local redirect = "http://127.0.0.1:8910/callback"
local function show(path)
  return ui.show(ui.webdriver { username = "ada", password = "right-one" }, base .. path, redirect)
end
for _, path in ipairs { "/get", "/elsewhere", "/swapped" } do
  local err = refused("webPageUnsafe", show, path)
  equal(err.details.reason, "unsafePage")
  assert(not tostring(err):find("right-one", 1, true))
end
-- A form that a script takes over sends nothing by itself.
equal(show "/handled", redirect .. "?code=1")
