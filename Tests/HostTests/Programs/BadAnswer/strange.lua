local err = refused(given.code, auth.createUser, auth, given.email, "correct horse")
assert(err.message:find(given.words, 1, true), err.message)
assert(not tostring(err):find("eyJ", 1, true), "a token is quoted")
assert(not auth.currentUser)
