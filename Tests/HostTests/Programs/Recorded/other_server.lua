-- A recording is refused at a server that is not the emulator.
local files = require "support.files"
files.make()
local recorded = ui.recorded {
  file = files.file, username = "ada@contoso.example", password = flows.password,
}

local one = provider("microsoft.com", "ada@contoso.example")
local foreign
one:getCredential(function(page)
  foreign = page
  return ui.show(ui.record(form "ada@contoso.example", files.file), page.url, page.redirectURI)
end)
files.write((files.read():gsub('"provider": "[^"]*"', '"provider": "idp.invalid"')))
local err = refused("webPageUnusable", ui.show, recorded, "https://idp.invalid/authorize?state=s", foreign.redirectURI)
assert(err.message:find("cannot be redeemed", 1, true), err.message)
files.remove()
