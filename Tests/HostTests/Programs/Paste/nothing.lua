local person = require "Paste.person"
local begin, final, paste = person.begin, person.final, person.paste
local waiting = begin(ui.paste { timeout = 0.05 })
local err = refused("webContextTimedOut", waiting.await, waiting)
waiting = begin()
waiting:cancel()
local ok, err = pcall(waiting.await, waiting)
equal(err.code, "cancelled")
-- One person can paste for one sign-in at a time.
local first, url = begin()
refused("webContextAlreadyPresented", person.provider.getCredential, person.provider, ui.paste())
local other = Auth.session()
refused("webContextAlreadyPresented", other.signIn, other, person.provider, ui.paste())
paste(final(url))
assert(first:await())
mistake("timeout", ui.paste, { timeout = -1 })
mistake("bad argument", ui.paste, { qr = "yes" })
