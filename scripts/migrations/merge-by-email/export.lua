-- Writes all accounts to accounts.json, as firebase auth:export does.
--
-- A look-up by address returns one of the accounts that share it, so the plan is made from the
-- whole list.
local Admin <const> = require "luath.admin"

print(Admin.admin():exportUsers("accounts.json").count .. " accounts in accounts.json")
