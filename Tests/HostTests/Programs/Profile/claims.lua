-- Signs in with two providers and changes the profile; answers with an ID token and the published keys.
local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
user:link(provider("google.com", "ada@contoso.example"))
user:updateProfile { displayName = "Ada, Countess", photoURL = "https://photo.example/a?b=c" }
local published = "https://www.googleapis.com/service_accounts/v1/jwk/"
local keys = http.get(published .. "securetoken@system.gserviceaccount.com")
local names = {}
for _, info in ipairs(user.providerData) do
  names[info.providerID] = info.uid
end
flows.answer { token = user:getIDToken(true), keys = keys:json(), uid = user.uid, names = names }
