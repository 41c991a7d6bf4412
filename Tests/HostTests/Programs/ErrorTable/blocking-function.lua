local function blocked(words)
  fails("signUp", "BLOCKING_FUNCTION_ERROR_RESPONSE : " .. words)
  return refused("blockingCloudFunctionError", auth.signInAnonymously, auth)
end
local body = '{"error":{"message":"Not {you}","status":"PERMISSION_DENIED","details":{"why":"}"}}}'
local err = blocked("HTTP Cloud Function returned an error: " .. body .. " and so on")
equal(err.rawValue, 17105)
assert(err.message:find("Not {you}", 1, true), err.message)
equal(err.details.error.status, "PERMISSION_DENIED")
equal(err.details.error.details.why, "}")
local err = blocked "no JSON in here"
assert(err.message:find("no JSON in here", 1, true))
