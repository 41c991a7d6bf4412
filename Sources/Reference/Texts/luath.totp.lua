local totp = require "luath.totp"

---@return string code
---@error invalidTOTPSecret when the secret is not base 32
function totp.code()
  local secret = totp.secret()
  print(#totp.code(secret))
  assert(totp.code("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", { at = 59, digits = 8 }) == "94287082")
end

---@return string secret
function totp.secret()
  local secret = totp.secret()
  print(#secret)
  assert(totp.code(secret) == totp.code(secret:lower()))
end

---@return integer seconds from 1 to the period
function totp.remaining()
  print("another code in " .. totp.remaining() .. " seconds")
  assert(totp.remaining { at = 59 } == 1)
end

---@param url _ the address, `otpauth://totp/…`
---@return { secret: string, account: string, issuer: string?, algorithm: string, digits: integer, period: integer } app
---@error invalidTOTPURL when it is another address, or has values that no app supports
function totp.parse()
  local app = totp.parse "otpauth://totp/Contoso:ada?secret=GEZDGNBVGY3TQOJQ&issuer=Contoso"
  print(app.issuer, app.account, totp.code(app))
  assert(app.digits == 6 and app.period == 30)
end
