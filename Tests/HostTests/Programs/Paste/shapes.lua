local person = require "Paste.person"
local begin, final, paste = person.begin, person.final, person.paste
local waiting, url = begin()
paste(given.shape:format(final(url)))
equal(auth:signIn(waiting:await()).user.email, "ada@contoso.example")
