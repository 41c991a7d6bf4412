--- Account records that note which of their fields the script reads; the run compares these.
local records = {}

local getmetatable <const>, next <const>, rawset <const> = debug.getmetatable, next, rawset
local watched

--- Moves a field into the record; the times of `metadata` are watched one by one.
local function move(record, watch, key)
  local value = watch.unread[key]
  watch.unread[key] = nil
  if key == "metadata" and value then
    value = watched(value, watch.seen, "metadata.")
  end
  rawset(record, key, value)
  return value
end

--- Notes a field when it is read for the first time.
local function read(record, key)
  local watch <const> = getmetatable(record)
  watch.seen[watch.prefix .. tostring(key)] = true
  return move(record, watch, key)
end

local function readAll(record)
  local watch <const> = getmetatable(record)
  for key in next, watch.unread do
    move(record, watch, key)
  end
  watch.seen[watch.prefix .. "*"] = true
  return next, record, nil
end

function watched(unread, seen, prefix, uid)
  -- `unread` is also what the host writes as JSON, besides the record itself.
  return setmetatable({ uid = uid }, {
    __name = "account", __metatable = false, __index = read, __pairs = readAll,
    unread = unread, seen = seen, prefix = prefix,
  })
end

--- The record of an account; `seen` gets the names of the fields that are read.
function records.watch(account, seen)
  local uid <const> = account.uid
  account.uid = nil
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
