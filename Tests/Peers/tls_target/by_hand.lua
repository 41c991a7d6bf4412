-- The interface itself, without a client of it: what counts is what is asked for.
local http <const> = require "luath.http"
local address <const> = "https://identitytoolkit.googleapis.com/v1/accounts:sendOobCode"
for _ = 1, 5 do
  local answer <const> = http.post(address, {
    query = { key = arg[1] },
    json = {
      requestType = "EMAIL_SIGNIN",
      email = "nobody@b.example",
      continueUrl = "https://demo-tls.firebaseapp.com/",
      canHandleCodeInApp = true,
    },
  })
  assert(answer.ok, answer.body)
end
print "done"
