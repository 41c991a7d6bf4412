local function refusedKey(status, message, canonical, reason, detail)
  answer("signUp", status, { error = { code = status, message = message, status = canonical,
    errors = { { message = message, domain = "global", reason = reason } },
    details = detail and { { ["@type"] = "type.googleapis.com/google.rpc.ErrorInfo", reason = detail } } } })
end
local rows = {
  { "invalidAPIKey", 400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", "badRequest",
    "API_KEY_INVALID" },
  { "invalidAPIKey", 400, "Bad Request", nil, "keyInvalid" },
  { "appNotAuthorized", 403, "Forbidden", nil, "ipRefererBlocked" },
}
for _, kind in ipairs { "IOS_APP", "ANDROID_APP", "HTTP_REFERRER", "SERVICE" } do
  rows[#rows + 1] = { "appNotAuthorized", 403, "Requests from this iOS client application <empty> are blocked.",
    "PERMISSION_DENIED", "forbidden", "API_KEY_" .. kind .. "_BLOCKED" }
end
for _, row in ipairs(rows) do
  refusedKey(table.unpack(row, 2))
  local err = refused(row[1], auth.signInAnonymously, auth)
  equal(err.rawValue, row[1] == "invalidAPIKey" and 17023 or 17028)
  assert(err.message:find(row[3], 1, true), err.message)
end
