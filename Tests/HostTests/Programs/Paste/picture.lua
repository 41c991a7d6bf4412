local person = require "Paste.person"
local begin, final, keyboard, paste = person.begin, person.final, person.keyboard, person.paste
local waiting, url = begin(given.allowsPicture and ui.paste() or ui.paste { qr = false })
equal(http.get(keyboard).body:find("█", 1, true) ~= nil, given.isShown)
assert(not http.get(keyboard).body:find "\27")
paste(final(url))
assert(waiting:await())
