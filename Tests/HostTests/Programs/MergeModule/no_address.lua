local merge = require "luath.merge"
answer("signInWithIdp", 200, { providerId = "saml.corp", needConfirmation = true, pendingToken = "P" })
local asked = false
local err = refused("accountExistsWithDifferentCredential", merge.signIn, auth,
  Auth.GoogleAuthProvider.credential "i", { prove = function() asked = true end })
equal(err.email, nil)
assert(not asked)
