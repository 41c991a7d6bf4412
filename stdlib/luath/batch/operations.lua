--- The operations that a plan is made of, checked where the script makes them.
local operations = {}

local kinds <const> = require "luath.expect.kinds"
local words <const> = require "luath.expect.words"
local failures <const> = require "luath.journey.failures"
local records <const> = require "luath.batch.records"
local refuse <const> = failures.refuse

--- What marks an operation, and what a verdict about a row.
local Operation <const> = { __name = "luath.batch.Operation" }
local Verdict <const> = { __name = "luath.batch.Verdict" }

--- The fields of each operation: `!` behind the kind of those that must be there.
operations.fields = {
  link = {
    uid = "string!", providerId = "string!", rawId = "string!", email = "string",
    displayName = "string", photoUrl = "string",
  },
  unlink = { uid = "string!", providerId = "string!" },
  merge = { survivor = "string!", loser = "string", losers = "table", providers = "table" },
  update = {
    uid = "string!", email = "string or boolean", emailVerified = "boolean",
    phoneNumber = "string or boolean", password = "string or boolean",
    displayName = "string or boolean", photoURL = "string or boolean", disabled = "boolean",
    customClaims = "table or boolean",
  },
  setClaims = { uid = "string!", claims = "table or boolean!" },
  setEmail = { uid = "string!", email = "string!", emailVerified = "boolean" },
  disable = { uid = "string!" },
  enable = { uid = "string!" },
  import = { account = "table!", hash = "table" },
  delete = { uid = "string!" },
  linkAsUser = {
    uid = "string!", providerId = "string!", idToken = "string", accessToken = "string",
    nonce = "string", pendingToken = "string",
  },
}

--- Spellings of the admin SDKs, and of account records.
local SPELLINGS <const> = {
  providerID = "providerId", photoURL = "photoUrl", photoUrl = "photoURL", rawID = "rawId",
}

--- The fields of an account that `expect` can name.
local EXPECTED <const> = {
  email = "string or boolean", emailVerified = "boolean", phoneNumber = "string or boolean",
  displayName = "string or boolean", photoURL = "string or boolean", disabled = "boolean",
  customClaims = "table or boolean",
}

--- Fields of all operations that change an account which exists.
for name, fields in pairs(operations.fields) do
  if name ~= "import" then
    fields.onChange = "string"
    fields.expect = fields.uid and "table" or nil
  end
end

--- Fields that hold an account: a uid, or the record that `accounts` gave.
local ACCOUNTS <const> = { uid = true, survivor = true, loser = true }

local function names(fields)
  return table.concat(words.sorted(fields), ", ")
end

--- The uid that stands for an account.
local function uid(value)
  return type(value) == "table" and value.uid or value
end

--- Reads the fields of an operation, and refuses unknown ones and wrong kinds.
local function read(name, settings, known)
  if type(settings) ~= "table" then
    refuse("bad argument #1 to 'batch.%s' (a table expected, got %s)", name, type(settings))
  end
  local made = {}
  for key, value in pairs(settings) do
    local field = known[key] and key or SPELLINGS[key]
    local allowed = field and known[field]
    if ACCOUNTS[field] then
      value = uid(value)
    end
    if not allowed then
      refuse("unknown field '%s' of batch.%s; there are %s", tostring(key), name, names(known))
    elseif not kinds.fit(allowed, value) then
      refuse("field '%s' of batch.%s: %s expected, got %s", key, name, (allowed:gsub("!", "")),
        type(value))
    elseif value == "" and name == "update" then
      refuse("field '%s' of batch.update is empty: false clears it, nil leaves it", key)
    elseif value == "" and allowed:find "!" then
      refuse("field '%s' of batch.%s is empty", key, name)
    elseif value == true and allowed:find " or " and allowed:find "boolean" then
      refuse("field '%s' of batch.%s: only false, which clears it, is a boolean", key, name)
    end
    if value ~= "" then -- an empty cell of CSV is none
      made[field] = value
    end
  end
  for field, allowed in pairs(known) do
    if allowed:find "!" and made[field] == nil then
      refuse("batch.%s needs '%s'", name, field)
    end
  end
  return made
end

--- Checks the values that an account is expected to have.
local function checkExpected(name, values)
  for key, value in pairs(values) do
    local allowed <const> = EXPECTED[key]
    if not allowed then
      refuse("unknown field '%s' in 'expect' of batch.%s; there are %s", tostring(key), name,
        names(EXPECTED))
    elseif not kinds.fit(allowed, value) or value == true and allowed ~= "boolean" then
      refuse("field '%s' in 'expect' of batch.%s: %s expected, got %s", key, name,
        (allowed:gsub(" or boolean", " or false")), tostring(value))
    end
  end
end

--- What is to hold when the row runs, by operation; it is no part of the operation itself.
local preconditions <const> = setmetatable({}, { __mode = "k" })

--- Takes `expect` and `onChange` out of an operation's fields.
local function takePreconditions(name, made)
  local expect <const>, onChange <const> = made.expect, made.onChange
  if onChange ~= nil and onChange ~= "ignore" then
    refuse("field 'onChange' of batch.%s: only \"ignore\" is known, got %q", name, onChange)
  elseif expect then
    checkExpected(name, expect)
  end
  made.expect, made.onChange = nil, nil
  return (expect or onChange) and { expect = expect, onChange = onChange, uid = made.uid }
end

--- One merge for each loser, as each is a story of its own.
local function merges(settings, conditions)
  local losers = settings.losers or { settings.loser }
  if (settings.loser == nil) == (settings.losers == nil) then
    refuse("batch.merge needs 'loser', or 'losers' with several")
  elseif #losers == 0 then
    refuse("field 'losers' of batch.merge is empty")
  end
  local list = {}
  for position, loser in ipairs(losers) do
    loser = uid(loser)
    if type(loser) ~= "string" or loser == "" then
      refuse("losers[%d] of batch.merge: a uid or an account expected, got %s", position,
        loser == "" and "an empty text" or type(loser))
    elseif loser == settings.survivor then
      refuse("batch.merge: the account %s cannot be merged into itself", loser)
    end
    list[position] = setmetatable({
      op = "merge", survivor = settings.survivor, loser = loser, providers = settings.providers,
    }, Operation)
    preconditions[list[position]] = conditions
  end
  return #list == 1 and list[1] or list
end

--- The same fields without those that are empty, as cells of CSV may be.
local function filled(fields)
  local made = {}
  for key, value in pairs(fields) do
    if value ~= "" then
      made[key] = value
    end
  end
  return made
end

--- The account of an import without what is empty.
local function account(given)
  local made = filled(given)
  if type(made.providerData) == "table" then
    local list = {}
    for position, identity in ipairs(made.providerData) do
      list[position] = type(identity) == "table" and filled(identity) or identity
    end
    made.providerData = list
  end
  return made
end

--- The members that a plan has of an operation.
local function shape(name, made)
  if name == "update" then
    local account = made.uid
    made.uid = nil
    return { uid = account, fields = made }
  elseif name == "setEmail" then
    return { uid = made.uid, email = made.email, verified = made.emailVerified }
  elseif name == "import" then
    return { account = account(made.account), hash = made.hash }
  end
  return made
end

--- Makes an operation of one of the names in `fields`.
function operations.make(name, settings)
  local made = read(name, settings, operations.fields[name])
  local conditions <const> = takePreconditions(name, made)
  if name == "merge" then
    return merges(made, conditions)
  elseif name == "update" and next(made, next(made)) == nil then
    refuse("batch.update has nothing to change; there are %s", names(operations.fields.update))
  elseif name == "linkAsUser" and not (made.idToken or made.accessToken or made.pendingToken) then
    refuse("batch.linkAsUser needs 'idToken', 'accessToken' or 'pendingToken'")
  end
  made = setmetatable(shape(name, made), Operation)
  made.op = name
  preconditions[made] = conditions
  return made
end

--- What the script says of a row's operations: the values that it expects of accounts, and
--- "ignore" if nothing else is to be compared.
function operations.preconditions(list)
  local expected, onChange = nil, nil
  for _, operation in ipairs(list) do
    local conditions <const> = preconditions[operation]
    if conditions then
      onChange = conditions.onChange or onChange
      if conditions.expect then
        expected = expected or {}
        expected[#expected + 1] = { uid = conditions.uid, fields = conditions.expect }
      end
    end
  end
  return expected, onChange
end

--- A custom operation.
function operations.custom(name, arguments)
  if type(name) ~= "string" or name == "" then
    refuse("bad argument #1 to 'batch.operation' (a name expected, got %s)",
      name == "" and "an empty text" or type(name))
  elseif operations.fields[name] then
    refuse("batch.operation cannot be named '%s': call batch.%s", name, name)
  elseif arguments ~= nil and type(arguments) ~= "table" then
    refuse("bad argument #2 to 'batch.operation' (a table expected, got %s)", type(arguments))
  end
  local made = {}
  for key, value in pairs(arguments or {}) do
    made[key] = key == "uid" and value or records.whole(value)
  end
  if made.op ~= nil then
    refuse("batch.operation '%s': the field 'op' is luath's own", name)
  end
  local account = uid(made.uid)
  made.uid = nil
  return setmetatable({
    op = name, uid = account, arguments = next(made) ~= nil and made or nil,
  }, Operation)
end

--- What is said about a row instead of operations.
function operations.verdict(kind, code, text)
  if kind == "refuse" and (type(code) ~= "string" or not code:find "^%a[%w_%-]*$") then
    refuse("bad argument #1 to 'batch.refuse' (a word such as noSuchCustomer expected, got %s)",
      type(code) == "string" and ("%q"):format(code) or type(code))
  elseif text ~= nil and type(text) ~= "string" then
    refuse("bad argument to 'batch.%s' (a sentence expected, got %s)", kind, type(text))
  end
  return setmetatable({ kind = kind, code = code, text = text }, Verdict)
end

--- Whether a value is what `operations.verdict` gives.
function operations.isVerdict(value)
  return debug.getmetatable(value) == Verdict
end

--- The operations of what `plan` gave, one after the other; raises what is none.
function operations.list(result, into)
  into = into or {}
  if debug.getmetatable(result) == Operation then
    into[#into + 1] = result
  elseif operations.isVerdict(result) then
    error(("batch.%s stands among operations; return it alone"):format(result.kind), 0)
  elseif type(result) ~= "table" then
    error(("plan returned a %s; let it return operations, batch.skip or batch.refuse")
      :format(type(result)), 0)
  elseif result.op ~= nil then
    error(("plan returned a table with op = %q; make it by batch.%s { … }")
      :format(tostring(result.op), tostring(result.op)), 0)
  else
    local count = 0
    for _ in pairs(result) do
      count = count + 1
    end
    if count ~= #result then
      error("plan returned a table that is no list of operations", 0)
    end
    for _, item in ipairs(result) do
      operations.list(item, into)
    end
  end
  return into
end

return operations
