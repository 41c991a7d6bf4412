local expect <const> = require "luath.expect"
require("luath.journey")("prints", function()
  print("password=hunter2222 Authorization: Bearer abcdef1234567 #id_token=foo1234567&a=1")
  print('{"refreshToken":"rt-4444444"} api_key=AIzaSyA12345 code=4711-4711')
  print("WEAK_PASSWORD : Password should be longer; unknown assertion: 'is_even', <password>")
  print('code = "accountExistsWithDifferentCredential", number = 17012, password == nil')
  expect.soft.same({ password = "hunter5555", code = "userNotFound" }, { code = "x" })
  error { password = "hunter7777" }
end)
