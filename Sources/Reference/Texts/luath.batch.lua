local batch = require "luath.batch"

--- A definition whose plan looks accounts up.
local function plan(look)
  return batch.define { columns = { "uid", "email" }, key = "uid", plan = look }
end

--- Every operation takes one table. Where a uid is wanted, an account does as well. Unknown fields
--- and wrong kinds are errors, with the line.
---
---@field args table<string, string> the arguments of the plan: `luath batch plan SCRIPT -- NAME=VALUE`
---@field tenantID? string the tenant of `--tenant`; nil for the project's own accounts

---@param settings table what is to become of each row
---@param settings.plan fun(row: table<string, string>, accounts: Accounts): any, string? returns operations, and why
---@param settings.key? string|fun(row: table<string, string>): string what a row is known by: a column, or a function
---@param settings.columns? string[] the columns that the file must have
---@param settings.arguments? string[] the arguments that every plan needs: `-- NAME=VALUE`, in `batch.args`
---@param settings.oneAccountPerEmail? boolean whether each address has one account; what the project is set to when not given
---@param settings.operations? table<string, { run: fun(op: table, account: UserRecord?), isDone?: (fun(op: table, account: UserRecord?): boolean), undo?: fun(op: table, account: UserRecord?) }> the script's own, each with `run`, `isDone` and `undo`
---@return table definition for the script to return
function batch.define(settings)
  return batch.define {
    columns = { "uid", "microsoft_id" },
    key = "uid",
    plan = function(row, accounts)
      local account = accounts:byUID(row.uid)
      if not account then
        return batch.refuse("userNotFound", "there is no such account")
      end
      return batch.link {
        uid = account.uid, providerId = "microsoft.com", rawId = row.microsoft_id,
      }
    end,
  }
end

---@param reason? string why, for the plan and its summary
---@return table verdict
function batch.skip(reason)
  return plan(function(row, accounts)
    return accounts:byUID(row.uid) and batch.disable { uid = row.uid } or batch.skip "gone"
  end)
end

---@param code string a word that rows refused for the same cause share, such as `noSuchCustomer`
---@param message? string what is wrong with this row
---@return table verdict
function batch.refuse(code, message)
  return plan(function(row, accounts)
    if not accounts:byUID(row.uid) then
      return batch.refuse("noSuchCustomer", row.uid .. " is not known")
    end
  end)
end

---@param name string the name under `operations` of batch.define
---@param arguments? table what `run`, `isDone` and `undo` get; `uid` names the account
---@return table operation
function batch.operation(name, arguments)
  return batch.define {
    columns = { "uid" },
    plan = function(row) return batch.operation("tellCRM", { uid = row.uid, level = 3 }) end,
    operations = { tellCRM = { run = function(op) print(op.uid, op.level) end } },
  }
end

--- Adds an identity at a provider to an account.
---
---@param fields table what to link
---@param fields.uid string|UserRecord the account
---@param fields.providerId string the provider's id
---@param fields.rawId string the person's id there
---@param fields.email? string the e-mail address there
---@param fields.displayName? string the name there
---@param fields.photoUrl? string the picture's address there
---@return table operation
function batch.link(fields)
  return plan(function(row)
    return batch.link { uid = row.uid, providerId = "google.com", rawId = "g-" .. row.uid }
  end)
end

--- Takes the identity of a provider from an account.
---
---@param fields table what to unlink
---@param fields.uid string|UserRecord the account
---@param fields.providerId string the provider's id
---@return table operation
function batch.unlink(fields)
  return plan(function(row) return batch.unlink { uid = row.uid, providerId = "google.com" } end)
end

--- Moves the identities of an account to another; the first is disabled and marked, and
--- `luath batch finalize` deletes it later.
---
---@param fields table which accounts; `loser` or `losers` is needed
---@param fields.survivor string|UserRecord the account that stays
---@param fields.loser? string|UserRecord the account that goes
---@param fields.losers? (string|UserRecord)[] several that go
---@param fields.providers? string[] the identities that move; all when not given
---@return table operation or a list of them
function batch.merge(fields)
  return plan(function(row, accounts)
    local survivor, losers = batch.survivor.oldest(accounts:byEmail(row.email))
    if survivor and #losers > 0 then
      return batch.merge { survivor = survivor, losers = losers }
    end
  end)
end

--- Changes an account; false clears a field.
---
---@param fields table what to change
---@param fields.uid string|UserRecord the account
---@param fields.email? string|false the e-mail address
---@param fields.emailVerified? boolean whether the address was verified
---@param fields.phoneNumber? string|false the phone number, in international form
---@param fields.password? string|false the password
---@param fields.displayName? string|false the name
---@param fields.photoURL? string|false the picture's address
---@param fields.disabled? boolean whether nobody can sign in to it
---@param fields.customClaims? table|false what is added to its tokens
---@return table operation
function batch.update(fields)
  return plan(function(row)
    return batch.update { uid = row.uid, displayName = false, emailVerified = true }
  end)
end

--- Replaces the custom claims of an account.
---
---@param fields table which, and of whom
---@param fields.uid string|UserRecord the account
---@param fields.claims table|false names and values; false clears them
---@return table operation
function batch.setClaims(fields)
  return plan(function(row)
    return batch.setClaims { uid = row.uid, claims = { role = "member" } }
  end)
end

--- Sets the e-mail address of an account.
---
---@param fields table which, and of whom
---@param fields.uid string|UserRecord the account
---@param fields.email string the e-mail address
---@param fields.emailVerified? boolean whether the address was verified
---@return table operation
function batch.setEmail(fields)
  return plan(function(row)
    return batch.setEmail { uid = row.uid, email = row.email, emailVerified = true }
  end)
end

--- Closes an account: nobody can sign in to it.
---
---@param fields table which account
---@param fields.uid string|UserRecord the account
---@return table operation
function batch.disable(fields)
  return plan(function(row) return batch.disable { uid = row.uid } end)
end

--- Opens a closed account again.
---
---@param fields table which account
---@param fields.uid string|UserRecord the account
---@return table operation
function batch.enable(fields)
  return plan(function(row) return batch.enable { uid = row.uid } end)
end

--- Makes an account, with its uid and password hash.
---
---@param fields table the account
---@param fields.account table as admin:importUsers takes it, with `uid`
---@param fields.hash? table the algorithm of the password hash and its parameters
---@return table operation
function batch.import(fields)
  return plan(function(row)
    return batch.import { account = { uid = row.uid .. "-new", displayName = "New" } }
  end)
end

--- Deletes an account.
---
---@param fields table which account
---@param fields.uid string|UserRecord the account
---@return table operation
function batch.delete(fields)
  return plan(function(row) return batch.delete { uid = row.uid } end)
end

--- Signs in as the account and links an identity, as the person would.
---
---@param fields table what to link; one of the tokens is needed
---@param fields.uid string|UserRecord the account
---@param fields.providerId string the provider's id
---@param fields.idToken? string the provider's ID token
---@param fields.accessToken? string the provider's access token
---@param fields.nonce? string what the ID token's nonce is the SHA-256 of
---@param fields.pendingToken? string the token of a pending credential
---@return table operation
function batch.linkAsUser(fields)
  return plan(function(row)
    return batch.linkAsUser { uid = row.uid, providerId = "google.com", accessToken = "ya29.x" }
  end)
end

--- The account that was made first stays.
---
---@param accounts UserRecord[] the accounts of one person
---@return UserRecord? survivor the account that stays
---@return UserRecord[] losers the others
function batch.survivor.oldest(accounts)
  local survivor, losers = batch.survivor.oldest {
    { uid = "ada", metadata = { creationTime = 1700000000000 } },
    { uid = "ada2", metadata = { creationTime = 1800000000000 } },
  }
  print(survivor.uid, #losers)
end

--- The account that was made last stays.
---
---@param accounts UserRecord[] the accounts of one person
---@return UserRecord? survivor the account that stays
---@return UserRecord[] losers the others
function batch.survivor.newest(accounts)
  local survivor = batch.survivor.newest {
    { uid = "ada", metadata = { creationTime = 1700000000000 } },
    { uid = "ada2", metadata = { creationTime = 1800000000000 } },
  }
  print(survivor.uid)
end

--- The account that somebody signed in to last stays.
---
---@param accounts UserRecord[] the accounts of one person
---@return UserRecord? survivor the account that stays
---@return UserRecord[] losers the others
function batch.survivor.lastSignedIn(accounts)
  local survivor = batch.survivor.lastSignedIn {
    { uid = "ada", metadata = { lastSignInTime = 1700000000000 } }, { uid = "ada2" },
  }
  print(survivor.uid)
end

--- The account with the most sign-in methods stays.
---
---@param accounts UserRecord[] the accounts of one person
---@return UserRecord? survivor the account that stays
---@return UserRecord[] losers the others
function batch.survivor.mostProviders(accounts)
  local survivor = batch.survivor.mostProviders {
    { uid = "ada", providerData = {} },
    { uid = "ada2", providerData = { { providerID = "google.com", uid = "42" } } },
  }
  print(survivor.uid)
end

--- An account whose address was verified stays.
---
---@param accounts UserRecord[] the accounts of one person
---@return UserRecord? survivor the account that stays
---@return UserRecord[] losers the others
function batch.survivor.verifiedFirst(accounts)
  local survivor = batch.survivor.verifiedFirst {
    { uid = "ada", emailVerified = false }, { uid = "ada2", emailVerified = true },
  }
  print(survivor.uid)
end

--- The accounts that a plan may look at; what rows ask at the same time shares the calls.
---@class Accounts

--- The account of a uid, or nil.
---
---@async
---@param uid string the account's id
---@return UserRecord? account
function Accounts:byUID(uid)
  return plan(function(row, accounts)
    return accounts:byUID(row.uid) and batch.disable { uid = row.uid }
  end)
end

--- A list of the accounts that have an address: none, one, or several that share it.
---
---@async
---@param email string the e-mail address
---@return UserRecord[] accounts
function Accounts:byEmail(email)
  return plan(function(row, accounts)
    local found = accounts:byEmail(row.email)
    return #found == 1 and batch.disable { uid = found[1] } or batch.refuse "noSingleAccount"
  end)
end

--- The account of a phone number in international form, or nil.
---
---@async
---@param number string such as +15555550100
---@return UserRecord? account
function Accounts:byPhone(number)
  return plan(function(row, accounts)
    return accounts:byPhone "+15555550100" and batch.disable { uid = row.uid }
  end)
end

--- The account that has an identity at a provider, or nil.
---
---@async
---@param providerId string the provider's id
---@param rawId string the person's id there
---@return UserRecord? account
function Accounts:byProvider(providerId, rawId)
  return plan(function(row, accounts)
    local owner = accounts:byProvider("google.com", "g-" .. row.uid)
    return owner and batch.unlink { uid = owner, providerId = "google.com" }
  end)
end

--- The accounts of several uids in one go, by uid.
---
---@async
---@param uids string[] the ids of the accounts
---@return table<string, UserRecord> accounts
function Accounts:allByUID(uids)
  return plan(function(row, accounts)
    local found = accounts:allByUID { row.uid, row.uid .. "-old" }
    return found[row.uid] and batch.disable { uid = row.uid }
  end)
end

--- For each of several addresses the list of its accounts, by address.
---
---@async
---@param emails string[] the e-mail addresses
---@return table<string, UserRecord[]> accounts
function Accounts:allByEmail(emails)
  return plan(function(row, accounts)
    local found = accounts:allByEmail { row.email }
    return found[row.email][1] and batch.disable { uid = found[row.email][1] }
  end)
end
