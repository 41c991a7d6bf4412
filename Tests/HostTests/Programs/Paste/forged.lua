local person = require "Paste.person"
local begin, fields, filled, final, paste = person.begin, person.fields, person.filled, person.final, person.paste
for _, forged in ipairs { "BACK?code=stolen&state=forged", "BACK?code=a&code=b&state=STATE",
  "BACK?code=a&state=STATE&state=b", "BACK?error=access_denied&state=forged",
  "BACK?code=a&state=STATEx", "BACK#id_token=stolen&state=forged" } do
  local waiting, url = begin()
  paste(filled(forged, url))
  local err = refused("webStateMismatch", waiting.await, waiting)
  assert(not tostring(err):find("stolen", 1, true) and not tostring(err):find("forged", 1, true))
end
-- The answer of another sign-in, and one that was used.
local waiting, url = begin()
local first = final(url)
paste(first)
assert(auth:signIn(waiting:await()).user.uid)
waiting, url = begin()
paste(first)
refused("webStateMismatch", waiting.await, waiting)
waiting, url = begin()
paste(filled("BACK?state=STATE&code=", url) .. fields(first).code)
local replayed = waiting:await()
equal(refused("invalidCredential", auth.signIn, auth, replayed).serverName, "INVALID_IDP_RESPONSE")
