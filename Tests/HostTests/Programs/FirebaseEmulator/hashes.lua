local hash = { algorithm = "MD5", rounds = 1 }
local rows = { {
  uid = "u", email = "a@x.example", passwordHash = "N2ZiYjhjMTIyNjczNzQ3ZDlhN2Q5ZDZlOWVmOGQ5YzY=", passwordSalt = "TmFDbA==",
} }
equal(admin.admin():importUsers(rows, { hash = hash }).successCount, 1)
