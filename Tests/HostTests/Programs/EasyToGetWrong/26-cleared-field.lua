accept "google.com"
local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
answer("update", 200, { localId = "U1" })
answer("lookup", 200, { users = { { localId = "U1" } } })
user:updateProfile { displayName = false, photoURL = "https://a.example/p" }
local body = sent "update"
equal(table.concat(body.deleteAttribute, " "), "DISPLAY_NAME")
equal(body.displayName, nil)
equal(body.photoUrl, "https://a.example/p")
