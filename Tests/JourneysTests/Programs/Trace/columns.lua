require("luath.journey")("row {user} {password} {code}", {
  each = {
    { user = "ada", password = "Marmalade", code = "accountExistsWithDifferentCredential" },
    { user = "bob", password = 20260101, code = "731204", more = { pin = "887766" } },
  },
}, function(j, row)
  print(row.more and row.more.pin)
  error(row.user .. row.password)
end)
