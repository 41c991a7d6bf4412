local function show(delegate, path)
  return open(path, delegate, { consent = false })
end
local err = refused("webPageUnusable", show, "form", "/consent")
equal(err.details.reason, "cannotDeny")
equal(err.details.title, "Corp")
assert(err.hint:find("ui.webdriver", 1, true), err.hint)
