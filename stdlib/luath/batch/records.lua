--- Account records that note which of their fields the script reads; the run compares these.
local records = {}

local getmetatable <const>, next <const>, rawset <const> = debug.getmetatable, next, rawset

--- Moves a field into the record when it is read for the first time.
local function read(record, key)
  local watch <const> = getmetatable(record)
  local value <const> = watch.unread[key]
  watch.unread[key] = nil
  watch.seen[watch.prefix .. tostring(key)] = true
  rawset(record, key, value)
  return value
end

local function readAll(record)
  local watch <const> = getmetatable(record)
  for key, value in next, watch.unread do
    watch.unread[key] = nil
    rawset(record, key, value)
  end
  watch.seen[watch.prefix .. "*"] = true
  return next, record, nil
end

local function watched(unread, seen, prefix, uid)
  -- `unread` is also what the host writes as JSON, besides the record itself.
  return setmetatable({ uid = uid }, {
    __name = "account", __metatable = false, __index = read, __pairs = readAll,
    unread = unread, seen = seen, prefix = prefix,
  })
end

--- The record of an account; `seen` gets the names of the fields that are read.
function records.watch(account, seen)
  local uid <const>, metadata <const> = account.uid, account.metadata
  account.uid = nil
  account.metadata = metadata and watched(metadata, seen, "metadata.")
  return watched(account, seen, "", uid)
end

--- The value; a record is read whole, as it leaves the script.
function records.whole(value)
  local watch <const> = type(value) == "table" and getmetatable(value)
  if watch and watch.unread then
    readAll(value)
    records.whole(value.metadata)
  end
  return value
end

return records
