@testable import Host
import Testing

@Suite(.timeLimit(.minutes(2))) struct JSONModuleTests {
  @Test func `what JSON tells apart stays apart`() async throws {
    try await ScriptRunner().run(
      """
      local json = require "luath.json"
      for _, text in ipairs { "[]", "{}", "null", "9007199254740993", "1.5", "1.0", '{"a":[],"b":{}}',
          '[null,1,null]', '"\\\\u00e9\\\\ud83d\\\\ude00"', "-0.0", '[[],{}]', "true" } do
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
      """)
  }

  @Test func `order is kept when asked for`() async throws {
    try await ScriptRunner().run(
      """
      local json = require "luath.json"
      local text = '{"z":1,"a":{"y":1,"b":2},"m":3}'
      local value = json.decode(text, { ordered = true })
      assert(json.encode(value) == text)
      assert(table.concat(json.keys(value), ",") == "z,a,m")
      value.z = nil
      value.new = 4
      assert(table.concat(json.keys(value), ",") == "a,m,new")
      assert(json.encode(json.decode(text)) == '{"a":{"b":2,"y":1},"m":3,"z":1}')
      """)
  }

  @Test(arguments: [
    ("json.decode('{')", "is not JSON"), ("json.decode('[1,]')", "line 1, column"),
    ("json.decode('')", "is not JSON"), ("json.decode('\\xff')", "is not JSON"),
    ("json.decode('[' .. ('['):rep(100000))", "is not JSON"),
    ("json.encode(print)", "a function"), ("json.encode({ a = { b = print } })", "a.b"),
    ("json.encode(0/0)", "not finite"), ("json.encode({ 1, x = 2 })", "both items and named"),
    ("json.encode({ [1] = 1, [3] = 3 })", "as JSON"), ("json.encode({ [true] = 1 })", "no string"),
    ("json.encode('\\xff')", "not UTF-8"),
    ("local t = {} t.t = t json.encode(t)", "circle"), ("json.encode()", "bad argument"),
  ])
  func `bad input says what and where`(_ code: String, _ words: String) async throws {
    let failure = try await ScriptRunner().failure(of: "local json = require 'luath.json' \(code)")
    #expect(failure.message.contains(words), "\(failure.message)")
  }
}
