accept "google.com"
auth:signIn(Auth.GoogleAuthProvider.credential "i")
answer("update", 200, { localId = "U1", email = "a@b.example" })
auth:applyActionCode "the-code"
equal(sent("update").oobCode, "the-code")
equal(sent("update").idToken, nil)
