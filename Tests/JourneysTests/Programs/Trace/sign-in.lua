local journey <const> = require "luath.journey"
journey("signs in", function(j)
  local ada <const> = j.users:new { name = "Ada", password = "hunter2-pass" }
  j:step("with Google", function()
    ada:signIn "google.com"
  end)
  j:step("with a password", function()
    ada.user:updatePassword "another-s3cret"
  end)
end)
