local function show(delegate, path)
  return open(path, delegate, { consent = false })
end
local answer = show("form", "/start")
assert(answer:find("code=good", 1, true), answer)
answer = show("form", "/hop")
assert(answer:find("error=access_denied", 1, true), answer)
