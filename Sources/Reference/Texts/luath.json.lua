local json = require "luath.json"

--- Integers, null, empty arrays and the order of keys survive a round trip.
---
---@field null userdata what stands for JSON's null, as a field of a table cannot hold nil

--- Objects and arrays become tables; what is written as `[]` stays an array when it is encoded.
---
---@param text _ the JSON text, in UTF-8
---@return any value
---@error invalidJSON when the text is not JSON; `line` and `column` are its place
---@error duplicateKey with `unique`, when an object has a key twice
function json.decode()
  local value = json.decode '{ "uid": "ada", "claims": { "level": 3, "nick": null } }'
  print(value.uid, value.claims.level + 1)
  assert(value.claims.nick == json.null)
end

---@param value _ what to write: strings, numbers, booleans, json.null and tables of them
---@return string text
function json.encode()
  print(json.encode({ uid = "ada", roles = { "editor", "author" } }, { pretty = true }))
  assert(json.encode { b = 1, a = 2 } == '{"a":2,"b":1}')
end

---@param table _ the table to mark; a new one when not given
---@return table array
function json.array()
  print(json.encode { roles = json.array() })
  assert(json.encode(json.array {}) == "[]")
end

---@param table _ the table to mark; a new one when not given
---@return table object
function json.object()
  print(json.encode { claims = json.object() })
  assert(json.encode(json.object()) == "{}")
end

---@param object _ a decoded object
---@return string[] keys
function json.keys()
  local value = json.decode('{ "name": "Ada", "age": 36 }', { ordered = true })
  print(table.concat(json.keys(value), ", "))
  assert(json.keys(value)[1] == "name")
end
