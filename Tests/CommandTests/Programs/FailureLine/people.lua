local function ada(j) return j.users:new { password = "correct horse" } end
journey("option", function(j)
  ada(j):signIn("microsoft.com", { aswers = { consent = false } })
end)
journey("kind", function(j)
  ada(j):signIn("microsoft.com", { scopes = "mail.read" })
end)
journey("signed out", function(j)
  ada(j):link "microsoft.com"
end)
