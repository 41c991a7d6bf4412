local person = require "Paste.person"
local begin, fields, filled, final, paste = person.begin, person.fields, person.filled, person.final, person.paste
for width = 10, 120, 10 do
  -- At once, as a terminal gives what was pasted there.
  local waiting, url = begin()
  local whole, pieces = final(url), {}
  for start = 1, #whole, width do pieces[#pieces + 1] = whole:sub(start, start + width - 1) end
  paste(table.concat(pieces, "\r\n  "))
  assert(auth:signIn(waiting:await()).user.uid)
  -- Line by line, as a pipe does: the state tells when it is whole.
  waiting, url = begin()
  whole = filled("BACK?code=some-code&state=STATE", url)
  -- Cut the origin, and nothing shows that the address goes on.
  local first = math.max(width, #fields(url).redirect_uri + 2)
  paste(whole:sub(1, first), "")
  for start = first + 1, #whole, width do paste("  " .. whole:sub(start, start + width - 1)) end
  assert(waiting:await())
end
