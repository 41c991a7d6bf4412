local flows = require "support.flows"
local json = require "luath.json"

local mistake = flows.mistake

describe("luath.json", function()
  it("values that JSON distinguishes stay distinct", function()
    for _, text in ipairs {
      "[]", "{}", "null", "9007199254740993", "1.5", "1.0", '{"a":[],"b":{}}', '[null,1,null]',
      '"\\u00e9\\ud83d\\ude00"', "-0.0", '[[],{}]', "true",
    } do
      local again = json.encode(json.decode(text))
      local twice = json.encode(json.decode(again))
      assert(again == twice, text .. " -> " .. again)
    end
    assert(json.encode(json.decode("[]")) == "[]" and json.encode(json.decode("{}")) == "{}")
    assert(math.type(json.decode("9007199254740993")) == "integer")
    assert(json.decode("9007199254740993") == 9007199254740993)
    assert(math.type(json.decode("1.0")) == "float")
    assert(json.decode("null") == json.null and json.decode("[null]")[1] == json.null)
    assert(json.encode({}) == "{}" and json.encode(json.array()) == "[]")
    assert(json.encode({ a = json.null, b = json.array { 1, "x" } }) == '{"a":null,"b":[1,"x"]}')
  end)

  it("order is kept when asked for", function()
    local text = '{"z":1,"a":{"y":1,"b":2},"m":3}'
    local value = json.decode(text, { ordered = true })
    assert(json.encode(value) == text)
    assert(table.concat(json.keys(value), ",") == "z,a,m")
    value.z = nil
    value.new = 4
    assert(table.concat(json.keys(value), ",") == "a,m,new")
    assert(json.encode(json.decode(text)) == '{"a":{"b":2,"y":1},"m":3,"z":1}')
  end)

  -- A call that is refused, and what the message says.
  local loop = {}
  loop.loop = loop
  for index, row in ipairs {
    { "is not JSON", json.decode, "{" }, { "line 1, column", json.decode, "[1,]" },
    { "is not JSON", json.decode, "" }, { "is not JSON", json.decode, "\xff" },
    { "is not JSON", json.decode, "[" .. ("["):rep(100000) }, { "a function", json.encode, print },
    { "a%.b", json.encode, { a = { b = print } } }, { "not finite", json.encode, 0 / 0 },
    { "both items and named", json.encode, { 1, x = 2 } }, { "as JSON", json.encode, { [1] = 1, [3] = 3 } },
    { "no string", json.encode, { [true] = 1 } }, { "not UTF%-8", json.encode, "\xff" },
    { "circle", json.encode, loop }, { "bad argument", json.encode },
  } do
    it("bad input " .. index .. " is refused: " .. row[1]:gsub("%%", ""), function()
      mistake(row[1], table.unpack(row, 2))
    end)
  end
end)
