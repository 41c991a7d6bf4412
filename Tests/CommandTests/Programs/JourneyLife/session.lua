local session = journey.fixture("session", { scope = "file" }, function(f)
  local ada = f.users:new { email = "ada@example.com", password = "correct horse" }
  ada:signIn()
  ada.auth:save "ada.session"
  return "ada.session"
end)
for _, name in ipairs { "one", "two" } do
  journey(name, function(j)
    say(name, require("luath.auth").load(j:use(session)).currentUser.email)
  end)
end
