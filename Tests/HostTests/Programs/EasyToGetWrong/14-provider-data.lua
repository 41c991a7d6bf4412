accept("google.com", nil, { localId = "U1", providerUserInfo = {
  { providerId = "google.com", rawId = "raw-1", federatedId = "https://accounts.google.com/raw-1" },
  { providerId = "yahoo.com", federatedId = "fed-2" },
} })
local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
equal(way(user, "google.com").uid, "raw-1")
equal(way(user, "yahoo.com").uid, "fed-2")
