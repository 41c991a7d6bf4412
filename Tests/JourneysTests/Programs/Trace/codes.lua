local totp <const> = require "luath.totp"
require("luath.journey")("codes", function()
  local secret <const> = totp.secret()
  print("code is", totp.code(secret), secret)
end)
