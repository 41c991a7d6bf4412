-- Nothing of a forged recording gets into a sign-in.
local files = require "support.files"
files.make()
local recorded = ui.recorded {
  file = files.file, username = "ada@contoso.example", password = flows.password,
}

local one = provider("microsoft.com", "ada@contoso.example")
local uid = auth:signIn(one:getCredential(ui.record(form "ada@contoso.example", files.file))).user.uid
local text = files.read()
files.write((text:gsub("code=%%5Bsecret%%5D&state=%%5Bsecret%%5D", "code=forged&state=forged")))
equal(auth:signIn(one:getCredential(recorded)).user.uid, uid)
-- An error made up is no more than an error, and says so with the state of this sign-in.
files.write((text:gsub('"kind": "success"', '"kind": "error", "error": "access_denied", "place": "query"')))
local err = refused("webConsentDenied", one.getCredential, one, recorded)
equal(err.serverName, "access_denied")
-- A page that would send the password elsewhere is refused as at the server.
files.write((text:gsub('action=\\\"/login', 'action=\\\"https://evil.example/login')))
refused("webPageUnsafe", one.getCredential, one, recorded)
files.remove()
