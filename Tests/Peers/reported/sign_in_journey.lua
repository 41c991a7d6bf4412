--- What the page of a run is looked at with: a journey for each way one can end.
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey("a merge by hand", { tags = { "merge", "smoke" } }, function(j)
  local ada <const> = j:step("Ada has a password", function()
    return j.users:new { name = "Ada Lovelace", password = "correct horse battery" }
  end)
  local err <const> = j:step("she comes with Microsoft", function()
    return expect.raises("accountExistsWithDifferentCredential", function()
      ada:signIn "microsoft.com"
    end)
  end)
  j:step("the two become one", function()
    j:step("she proves who she is", function()
      ada:signIn()
    end)
    j:step("the pending credential is linked", function()
      ada.user:link(err.pendingCredential)
    end)
  end)
  print("ways: " .. table.concat(ada:signInMethods(), ", "))
  expect.same(ada:signInMethods(), { "microsoft.com", "password" })
end)

journey("the wrong code is expected", { tags = { "errors" } }, function(j)
  local ada <const> = j.users:new { name = "Ada", password = "correct horse battery" }
  j:step("she mistypes her password", function()
    local _, err <const> = pcall(function()
      ada.auth:signIn { email = ada.email, password = "correct horse bakery" }
    end)
    expect.same({ code = err.code, tries = 1 }, { code = "wrongPassword", tries = 1 })
  end)
end)

journey("the second try works", { tags = { "faults" } }, function(j)
  local ada <const> = j.users:new { name = "Ada", password = "correct horse battery" }
  j:step("she signs in", function()
    if j.attempt == 1 then
      emulator.configure { enumerationProtection = false }
      ada.auth:signIn { email = ada.email, password = "not her password" }
    end
    ada:signIn()
  end)
end)

journey("<img src=x onerror=\"document.title='owned'\"></script><!-- is text", function(j)
  j:step("<script>document.title='owned'</script>", function()
    j:log "<b>bold</b> </script>"
  end)
end)

journey.skip("Yahoo is not asked", { skip = "Yahoo is off" }, function() end)

journey.pending "a reset by mail"
