local function set(address)
  flows.configure("blockingFunctions", { blockingFunctions = { triggers = {
    beforeSignIn = { functionUri = address } } } })
end
set(given.origin .. "/in")
local err = refused("networkError", auth.createUser, auth, "ada@contoso.example", "correct horse")
equal(err.serverName, "UNAVAILABLE")
assert(err.message:find("Error code: 47", 1, true), err.message)
-- The account stays, since it is made before the function is asked.
refused("emailAlreadyInUse", auth.createUser, auth, "ada@contoso.example", "correct horse")
-- Nothing listens there.
set "http://127.0.0.1:1/in"
err = refused("blockingCloudFunctionError", auth.createUser, auth, "grace@contoso.example", "correct horse")
assert(err.message:find("Failed to make request", 1, true), err.message)
