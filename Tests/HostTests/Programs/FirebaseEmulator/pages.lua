local lacks = require "FirebaseEmulator.lacks"
local pages <const> = "identity providers with sign-in pages"
for _, id in ipairs { "microsoft.com", "yahoo.com", "google.com", "oidc.corp" } do
  lacks(pages, auth.signIn, auth, provider(id, "ada@contoso.example"))
  lacks(pages, auth.signIn, auth, provider(id, "ada@contoso.example"), form "ada@contoso.example")
end
local oidc = require "luath.oidc"
for _, issuer in ipairs { emulator.origin .. "/oidc/corp", "https://accounts.google.com" } do
  lacks(pages, oidc.client, { issuer = issuer, clientID = "c" })
  lacks(pages, auth.signIn, auth, provider "oidc.corp", ui.device {
    issuer = issuer, clientID = "c", prompt = print })
end
