--- Journeys with the accounts of a pool: each is with one journey at a time, and stays.
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"
local task <const> = require "luath.task"

journey.configure { parallel = true }

for number = 1, 6 do
  journey(("takes an account, %d"):format(number), function(j)
    local person <const> = j.users:new { providers = { "microsoft.com" } }
    expect.equal(person.email, "ada@contoso.example")
    local path <const> = os.getenv "POOL_FILE"
    expect.isNil(io.open(path), "somebody else has the account")
    assert(io.open(path, "w")):close()
    j:defer(function()
      os.remove(path)
    end)
    task.sleep(0.05)
    expect.equal(person:signIn("microsoft.com").user.email, person.email)
  end)
end

journey("an account whose password is not there is named", function(j)
  local good <const>, message <const> = pcall(j.users.new, j.users, { email = "alan@outlook.example" })
  expect.falsy(good)
  expect.contains(tostring(message), "ALAN_PASSWORD")
end)
