local one = provider("microsoft.com", "ada@contoso.example", { prompt = "consent" })
local two = Auth.OAuthProvider("microsoft.com", Auth.auth { target = "real" })
if given.isInteractive then
  refused("networkError", two.getCredential, two)
else
  local err = refused("webPageUnusable", two.getCredential, two)
  for _, name in ipairs { "form", "webdriver", "browser", "paste" } do
    assert(err.hint:find("ui." .. name, 1, true), err.hint)
  end
end
-- The emulator's people are there with and without a terminal.
assert(auth:signIn(one).user.uid)
