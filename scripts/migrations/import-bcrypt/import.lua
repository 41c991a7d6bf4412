-- Brings people of an old system over, with the bcrypt hashes of their passwords.
--
--   luath batch plan import.lua --in rows.csv -o plan.ndjson --target production
--
-- Nobody notices: the uid, the password and the time of registration stay. A thousand accounts go
-- out in one call.
local batch = require "luath.batch"
local crypto <const> = require "luath.crypto"

--- The time of a text such as 2019-03-01T08:00:00Z in milliseconds since 1970, as accounts have it.
local function milliseconds(text)
  local year <const>, month <const>, day <const>, hour <const>, minute <const>, second <const> =
    text:match "^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)Z$"
  -- Days from the civil calendar: March is the first month, so that a leap day is a year's last.
  local y <const> = month + 0 <= 2 and year - 1 or year + 0
  local days <const> = 365 * y + y // 4 - y // 100 + y // 400 + (153 * ((month + 9) % 12) + 2) // 5
    + day - 719469
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 // 1
end

return batch.define {
  columns = { "id", "email", "password_hash", "created" },
  key = "id",
  plan = function(row, accounts)
    if not row.password_hash:find "^%$2[aby]%$%d%d%$" then
      return batch.refuse("noHash", "password_hash is no text that bcrypt makes")
    end
    local other <const> = accounts:byEmail(row.email)[1]
    if other and other.uid ~= row.id then
      return batch.refuse("registeredAgain", other.uid .. " has the address already")
    elseif other then
      return batch.skip "imported already"
    end
    return batch.import {
      account = {
        uid = row.id,
        email = row.email,
        emailVerified = true,
        displayName = row.name,
        passwordHash = crypto.base64(row.password_hash),
        metadata = { creationTime = milliseconds(row.created) },
        customClaims = row.role ~= "" and { role = row.role } or nil,
      },
      hash = { algorithm = "BCRYPT" },
    }
  end,
}
