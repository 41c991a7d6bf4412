local lacks = require "FirebaseEmulator.lacks"
local actor = require "luath.actor"
local ada = actor.new { email = "ada@x.example", password = "correct horse", name = "Ada" }
equal(ada:signIn().user.email, "ada@x.example")
lacks("identity providers with sign-in pages", ada.link, ada, "microsoft.com")
ada:cleanUp()
refused("userNotFound", ada.signIn, ada)
for key, value in pairs {
  providers = { "microsoft.com" }, microsoft = { tenant = "contoso.example" }, yahoo = {}, google = {},
  oidc = {}, providerPassword = "battery staple",
} do
  lacks("test users of identity providers", actor.new, { [key] = value })
end
