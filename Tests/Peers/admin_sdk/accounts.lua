--- Plays luath's side of scripts.py: does what the first argument says, and prints accounts as JSON.
---
--- Usage: luath run --target HOST:PORT accounts.lua -- DEED [FILE]
local Admin <const> = require "luath.admin"
local json <const> = require "luath.json"

local admin = Admin.admin()
local deeds = {}

--- The salt of the hashes below, and the key of those that have one.
local SALT <const>, KEY <const> = "TmFDbCBhbmQgcGVwcGVy", "c2VjcmV0IG9mIHRoZSBvbGQgc3lzdGVt"

--- Makes accounts of every kind, for the SDK to read.
function deeds.write()
  admin:createUser {
    uid = "ada", email = "ada@example.com", emailVerified = true, password = "correct horse",
    displayName = "Zoë ♥", photoURL = "https://example.com/a.png", phoneNumber = "+15555550100",
  }
  admin:updateUser("ada", {
    customClaims = { role = "editor", level = 3 },
    providerToLink = { providerID = "google.com", uid = "42", email = "ada@gmail.example" },
  })
  admin:createUser { uid = "bob", disabled = true }
  local result = admin:importUsers({
    {
      uid = "eve", email = "eve@example.com", passwordSalt = SALT,
      passwordHash = "d29BEV6kZfm8xJfWo17MLiqDqYsmxcB0Pt05qYPHUxw=",
      metadata = { creationTime = 1700000000000, lastSignInTime = 1710000000000 },
      providerData = { { providerID = "github.com", uid = "43" } },
    },
  }, { hash = { algorithm = "HMAC_SHA256", key = KEY } })
  assert(result.failureCount == 0, (result.errors[1] or {}).message)
end

--- Prints all accounts, as luath reads them.
function deeds.read()
  local users = {}
  for user in admin:listUsers { pageSize = 2 } do users[#users + 1] = user end
  print(json.encode(users))
end

--- Deletes all accounts, after writing them to a file, and brings them back.
function deeds.move(file)
  local count = admin:exportUsers(file).count
  local uids = {}
  for user in admin:listUsers() do uids[#uids + 1] = user.uid end
  assert(admin:deleteUsers(uids).successCount == count)
  local result = admin:importUsers(file, { hash = { algorithm = "HMAC_SHA256", key = KEY } })
  assert(result.successCount == count, (result.errors[1] or {}).message)
end

deeds[arg[1]](arg[2])
