answer("createAuthUri", 200, { authUri = "https://idp.example/?state=s", sessionId = "S" })
local google = Auth.OAuthProvider "google.com"
refused("webContextCancelled", google.getCredential, google, function() end)
local address = sent("createAuthUri").continueUri
assert(not address:find "#" and not address:find "state", address)
equal(address, emulator.origin .. "/__/auth/handler")
for _, domain in ipairs { "x/y", "x?state=1", "x#f", "" } do
  auth.customAuthDomain = domain
  refused("unauthorizedDomain", google.getCredential, google)
end
