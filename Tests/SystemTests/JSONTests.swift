import Testing

@testable import System

@Suite("JSON values", .timeLimit(.minutes(1)))
struct JSONTests {
  @Test func `each accessor answers for its own kind only`() {
    let all: [JSON] = [nil, true, 1, 1.5, "x", [], [:]]
    #expect(all.compactMap(\.bool) == [true])
    #expect(all.compactMap(\.integer) == [1])
    #expect(all.compactMap(\.number) == [1, 1.5])
    #expect(all.compactMap(\.string) == ["x"])
    #expect(all.compactMap(\.array) == [[]])
    #expect(all.compactMap(\.object) == [[:]])
    #expect(all.map(\.isNull) == [true, false, false, false, false, false, false])
  }

  @Test func `an object of keys that differ is the same as one that was filled`() {
    for count in [0, 1, 16, 17, 100] {
      let members = (0..<count).map { ("key \($0)", JSON.integer(Int64($0))) }
      let object = JSONObject(uniqueKeys: members.map(\.0), values: members.map(\.1))
      #expect(object.keys == members.map(\.0))
      #expect(object == JSONObject(members))
      #expect(object["key 0"] == members.first?.1 && object["key \(count)"] == nil)
    }
  }

  @Test(
    arguments: [(2.0, 2), (-3.0, -3), (2.5, nil), (1e300, nil), (.nan, nil)] as [(Double, Int64?)])
  func `an integral number is an integer too`(number: Double, integer: Int64?) {
    #expect(JSON.number(number).integer == integer)
  }

  @Test func `subscripts reach in and give nil outside`() {
    let json: JSON = ["a": [10, 20], "b": "text \(1 + 1)"]
    #expect(json["a"]?[1] == 20)
    #expect(json["a"]?[2] == nil)
    #expect(json["a"]?[-1] == nil)
    #expect(json["b"] == "text 2")
    #expect(json["c"] == nil)
    #expect(json[0] == nil)
  }

  @Test func `strings are equal by bytes and kinds are not mixed`() {
    #expect(JSON.string("\u{E9}") != JSON.string("e\u{301}"))
    #expect(JSON.integer(1) != JSON.number(1))
    #expect(JSON.null != JSON.bool(false))
  }
}

@Suite("JSON objects", .timeLimit(.minutes(1)))
struct JSONObjectTests {
  @Test func `members keep the order they were added in`() {
    var object: JSONObject = ["b": 1, "a": 2]
    object["c"] = 3
    object["b"] = 4
    object["a"] = nil
    object["a"] = .null
    #expect(object.keys == ["b", "c", "a"])
    #expect(object["b"] == 4)
    #expect(object["a"] == .null)
    #expect(object["A"] == nil)
  }

  @Test func `equality ignores order`() {
    #expect(["a": 1, "b": 2] as JSONObject == ["b": 2, "a": 1])
    #expect(["a": 1] as JSONObject != ["a": 2])
    #expect(["a": 1] as JSONObject != ["b": 1])
    #expect(["a": 1] as JSONObject != ["a": 1, "b": 2])
  }

  @Test func `an object of any size agrees with a plain model`() {
    var random = SeededGenerator(seed: 3)
    var object = JSONObject()
    var model: [(String, Int64)] = []
    for step in 0..<3_000 {
      let key = "key\(Int.random(in: 0..<60, using: &random))"
      if Int.random(in: 0..<5, using: &random) < 2 {
        object[key] = nil
        model.removeAll { $0.0 == key }
      } else {
        object[key] = .integer(Int64(step))
        if let index = model.firstIndex(where: { $0.0 == key }) {
          model[index].1 = Int64(step)
        } else {
          model.append((key, Int64(step)))
        }
      }
      #expect(object[key]?.integer == model.first { $0.0 == key }?.1)
    }
    #expect(object.keys == model.map(\.0))
    #expect(object.entries.map(\.value.integer) == model.map { Optional($0.1) })
    #expect(object == JSONObject(model.reversed().map { ($0.0, JSON.integer($0.1)) }))
  }
}
