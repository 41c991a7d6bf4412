journey("by password", function(j)
  local ada = j.users:new { email = "fixed@left.example", password = "correct horse" }
  ada:signIn()
end)
journey("by a provider", function(j)
  j.users:new({ email = "other@left.example" }):signIn "google.com"
end)
journey.afterAll(function()
  local emulator, http = require "luath.emulator", require "luath.http"
  for _, person in ipairs(emulator.people()) do
    if person.email:find "left.example" then say(person.email) end
  end
  local url = "/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:batchGet"
  local answer = http.get(emulator.origin .. url, { bearer = "owner" }):json()
  for _, user in ipairs(answer.users or {}) do say(user.email) end
end)
