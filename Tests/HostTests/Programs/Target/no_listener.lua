-- Nobody listens at the hosts of the real project, and the emulator does not answer in its place.
local real = Auth.auth { target = "real" }
local err = refused("networkError", real.signInAnonymously, real)
assert(err.message:find("identitytoolkit.googleapis.com:443", 1, true), err.message)
assert(auth:signInAnonymously().user.isAnonymous)
assert(not real.currentUser)
