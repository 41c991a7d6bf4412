local Admin <const> = require "luath.admin"
local users = {}
for number = 1, 150 do
  users[number] = { uid = "u" .. number, email = "u" .. number .. "@corp.example" }
end
Admin.admin():importUsers(users)
