local person = require "Paste.person"
local begin, filled, final, keyboard, paste = person.begin, person.filled, person.final, person.keyboard, person.paste
for _, wrong in ipairs { "nonsense", "https://evil.example/?code=stolen&state=STATE", "BACK",
  "file:///etc/passwd", "javascript:alert(1)", "http://", "stolen" } do
  local waiting, url = begin()
  paste(filled(wrong, url), filled(wrong, url))
  paste(final(url))
  assert(waiting:await())
  waiting, url = begin()
  paste(filled(wrong, url), filled(wrong, url), filled(wrong, url))
  local err = refused("webStateMismatch", waiting.await, waiting)
  assert(not tostring(err):find("stolen", 1, true), tostring(err))
  assert(err.hint:find("complete address", 1, true), err.hint)
end
assert(not http.get(keyboard).body:find("stolen", 1, true))
