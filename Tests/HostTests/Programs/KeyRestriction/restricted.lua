local err = refused("appNotAuthorized", auth.signInAnonymously, auth)
equal(err.rawValue, 17028)
assert(err.hint:find(given.hint, 1, true), err.hint)
assert(err.message:find("locked", 1, true) or err.message:find("restriction", 1, true), err.message)
