accept "google.com"
auth:signIn(Auth.GoogleAuthProvider.credential "i")
for _, name in ipairs { "signInWithIdp", "lookup" } do
  local _, request = sent(name)
  equal(request.headers["x-ios-bundle-identifier"], "example.app")
end
