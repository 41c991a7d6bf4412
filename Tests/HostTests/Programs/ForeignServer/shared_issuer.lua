local foreign = require "ForeignServer.client"
local base = foreign.base
admin.admin():createProviderConfig {
  providerID = "oidc.ms", displayName = "ms", enabled = true, clientID = "app",
  clientSecret = "s", issuer = base .. "/ms/common/v2.0", responseType = { code = true },
}
local function token(tenant, named)
  return http.get(base .. "/ms/sign?" .. http.form { tenant = tenant, named = named or tenant }).body
end
local credential = Auth.OAuthProvider.credential
local tenant, other = "72f988bf-86f1-41af-91ab-2d7cd011db47", "9188040d-6c67-4c5b-b112-36a304b66dad"
assert(auth:signIn(credential("oidc.ms", token(tenant))).user.uid)
assert(auth:signIn(credential("oidc.ms", token(other))).user.uid)
local err = refused("invalidCredential", auth.signIn, auth, credential("oidc.ms", token(tenant, other)))
equal(err.details and err.details.reason, "wrongIssuer", tostring(err))
assert(err.hint:find("iss", 1, true) and not err.hint:find("getCredential", 1, true), err.hint)
refused("invalidCredential", auth.signIn, auth, credential("oidc.ms", token(nil, "{tenantid}")))
