@testable import Lua
import Synchronization
import Testing

/// What a script holds of Swift; counts those that are alive.
private final class Box {
  static let alive = Atomic(0)
  let number: Int64

  init(_ number: Int64) {
    self.number = number
    Self.alive.add(1, ordering: .relaxed)
  }

  deinit { Self.alive.subtract(1, ordering: .relaxed) }
}

/// The border between Lua and Swift: wrong arguments of each kind, memory that ends at any allocation,
/// many coroutines, and many calls.
@Suite(.serialized, .timeLimit(.minutes(isUnderThreadSanitizer ? 10 : 2)))
struct LuaBoundaryTests {
  /// A class with what a class can have: properties of both kinds, a method, a text, an end.
  private func boxes(in harness: Harness) {
    let type = LuaClass("Box", "A box.", keepsIdentity: true)
    func number(_ call: LuaCall) -> Int64 { call.object(1, as: Box.self)?.number ?? -1 }
    type.properties = [
      .computed(
        "number", .integer, "Its number.",
        get: { call in
          call.push(number(call))
          return .results(1)
        }),
      .stored("tags", .list(.string), "Words."),
    ]
    type.methods = [
      (
        "wait",
        LuaFunction(
          usage: "box:wait()", parameters: [LuaParameter("self", .object(type))],
          finish: { call in
            call.push(number(call))
            return .results(1)
          }, body: { _ in .waits })
      )
    ]
    type.describe = { "Box(\(($0 as? Box)?.number ?? -1))" }
    type.close = { _, _ in }
    let make = LuaFunction(usage: "box(number)", parameters: [LuaParameter("number", .integer)]) {
      call in
      call.push(type, Box(call.integer(1) ?? 0))
      return .results(1)
    }
    harness.state.setGlobal("box", .function(make))
    ends.append { (type.methods, type.properties) = ([], []) }
  }

  /// Breaks the cycles of classes and the functions that mention them.
  private let ends = Ends()
  private final class Ends {
    private var all: [() -> Void] = []
    func append(_ end: @escaping () -> Void) { all.append(end) }
    deinit { for end in all { end() } }
  }

  /// Calls all that the border has: results, errors, waits, objects, coroutines, files.
  private static let everything = """
    local kept = {}
    for i = 1, 3 do
      kept[i] = add(i, #kept)
      local ok, err = pcall(fail)
      assert(not ok and err.code == "broken" and #err.traceback > 0)
      local one <close> = box(i)
      one.tags = { "a" .. i }
      assert(one.number == i and tostring(one) == "Box(" .. i .. ")" and #one.tags == 1)
      assert(not pcall(add, "x", {}) and not pcall(function() return one.none end))
      assert(one:wait() and wait())
      local co = coroutine.wrap(function(n) for j = 1, n do coroutine.yield(wait()) end end)
      assert(co(2) and co(2))
      kept[#kept + 1] = xpcall(error, function(e) return { e, debug.traceback("x") } end)
      kept[#kept + 1] = string.rep("long ", i * 50) .. table.concat({ "x", i }, "-")
      assert(select("#", load("return ...")(1, 2)) == 2)
      local file <close> = assert(io.open("/dev/null"))
      assert(file:read "a" == "")
    end
    return "done"
    """

  @Test func `memory that ends at any allocation stops the script, and the state can go on`() throws
  {
    var (finished, stopped) = (0, 0)
    var limit = 16
    while finished < 3 {
      let harness = Harness()
      boxes(in: harness)
      harness.state.setMemoryLimit(limit)
      let answer = try? harness.run(Self.everything)
      if answer == "done" {
        finished += 1
        #expect(harness.state.stopReason == nil)
      } else if answer != nil {
        stopped += 1
        #expect(harness.state.stopReason == .memory, "\(limit) bytes: \(answer ?? "")")
      }
      harness.state.setMemoryLimit(0)
      harness.state.forgetStop()
      #expect(try harness.run("collectgarbage() return add(2, 3)") == "5", "\(limit) bytes")
      limit += isUnderThreadSanitizer ? 480 : 48
      try #require(limit < 1 << 20, "the script never ends")
    }
    #expect(stopped > 20)
  }

  @Test func `hundreds of coroutines wait at once, and each goes on with its own values`() throws {
    let harness = Harness()
    boxes(in: harness)
    let text = """
      local number = ...
      local sum = 0
      for i = 1, 5 do
        local held <close> = box(number * 10 + i)
        sum = sum + held:wait()
        local inner = coroutine.wrap(function() coroutine.yield(held:wait()) end)
        sum = sum + inner()
      end
      return sum
      """
    let function = try harness.state.load(Array(text.utf8), name: "=many")
    var open = (0..<600).map { number in
      (number, LuaCoroutine(function, [.integer(Int64(number))], in: harness.state))
    }
    var answers: [Int: Int64] = [:]
    // In another order each time.
    var step = 7
    while !open.isEmpty {
      let at = step % open.count
      step = (step * 31 + 17) % 100_003
      let (number, coroutine) = open[at]
      switch coroutine.resume() {
      case .waiting: continue
      case .finished(let values):
        answers[number] = values.first.flatMap { harness.state.read($0) { $0.integer($1) } }
      case .failed(let value, _):
        Issue.record("\(number): \(harness.state.text(of: value) ?? "")")
      }
      open.remove(at: at)
    }
    for number in 0..<600 {
      #expect(answers[number] == Int64(2 * (number * 50 + 15)), "\(number)")
    }
  }

  @Test func `many rounds of calls keep neither memory nor objects`() throws {
    let harness = Harness()
    boxes(in: harness)
    let before = Box.alive.load(ordering: .relaxed)
    func rounds(_ count: Int) throws -> Int {
      for _ in 0..<count { #expect(try harness.run(Self.everything) == "done") }
      #expect(try harness.run("collectgarbage() collectgarbage() return 1") == "1")
      return harness.state.memoryInUse
    }
    let warm = try rounds(50)
    let used = try rounds(isUnderThreadSanitizer ? 200 : 2000)
    #expect(used < warm + (16 << 10), "\(warm) bytes, then \(used)")
    #expect(Box.alive.load(ordering: .relaxed) == before)
    harness.state.close()
    #expect(Box.alive.load(ordering: .relaxed) == before)
  }

  @Test func `objects that finalizers make while a state closes are released`() throws {
    let harness = Harness()
    boxes(in: harness)
    let before = Box.alive.load(ordering: .relaxed)
    let text = """
      for i = 1, 3 do
        kept = setmetatable({}, { __gc = function()
          late = { box(i), box(i + 10), late }
          local again = box(i + 20)
          debug.getmetatable(again).__gc(again)
        end })
        _G["kept" .. i] = kept
      end
      return box(0).number
      """
    #expect(try harness.run(text) == "0")
    harness.state.close()
    #expect(Box.alive.load(ordering: .relaxed) == before)
  }

  /// A wrong value for each kind of parameter, and what the refusal says.
  private static var wrong: [(kind: LuaParameter.Kind, value: String, message: String)] {
    [
      (.boolean, "1", "boolean expected, got number"),
      (.integer, "2^51 + 0.5", "integer expected, got number"),
      (.integer, "'7'", "integer expected, got string"),
      (.integer, "0/0", "integer expected, got number"),
      (.integer, "2^63", "integer expected, got number"),
      (.number, "'7'", "number expected, got string"),
      (.string, "'a\\xFF'", "UTF-8"),
      (.string, "7", "string expected, got number"),
      (.bytes, "{}", "string expected, got table"),
      (.table, "'t'", "table expected, got string"),
      (.function, "setmetatable({}, { __call = print })", "function expected, got table"),
      (.list(.integer), "{ 1, 'b' }", "list of integers expected"),
      (.list(.string), "{ 'a', 'b\\xC0' }", "UTF-8"),
      (.list(.list(.integer)), "{ { 1 }, { {} } }", "list of"),
      (.map(.string), "{ a = 1 }", "table of strings by name expected"),
      (.map(.string), "{ 'a' }", "table of strings by name expected"),
      (
        .options([LuaParameter("size", .integer)]), "{ size = 'big' }",
        "integer expected, got string"
      ),
      (.options([LuaParameter("size", .integer, optional: true)]), "{ sise = 1 }", "sise"),
      (.either([.string, .table]), "print", "string or table expected, got function"),
    ]
  }

  @Test(arguments: wrong.indices)
  func `a value of the wrong kind is refused before Swift sees it`(at index: Int) throws {
    let (kind, value, message) = Self.wrong[index]
    let harness = Harness()
    let calls = Atomic(0)
    let take = LuaFunction(usage: "take(value)", parameters: [LuaParameter("value", kind)]) { _ in
      calls.add(1, ordering: .relaxed)
      return .results(0)
    }
    harness.state.setGlobal("take", .function(take))
    for code in ["take(\(value))", "return pcall(take, \(value))", "take()"] {
      let answer = try harness.run(code)
      #expect(answer.contains("bad argument #1 to 'take'"), "\(code): \(answer)")
      if !code.hasSuffix("()") { #expect(answer.contains(message), "\(answer)") }
    }
    #expect(calls.load(ordering: .relaxed) == 0)
    #expect(try harness.run("return add(1, 1)") == "2")
  }

  @Test(arguments: [
    ("box(1).none = 1", "no field 'none'"), ("box(1).number = 2", "Box.number is read only"),
    ("box(1).wait = 1", "is a method and cannot be assigned"),
    ("local b = box(1) b.wait()", "Box expected, got no value"),
    ("box(1).tags = { a = 1 }", "list of strings expected"),
    ("box(1)()", "attempt to call"), ("return box(1) < box(2)", "attempt to compare"),
    ("setmetatable(box(1), {})", "table expected"),
    ("local f <close> = 1", "non-closable value"),
    ("coroutine.wrap(function() error({ code = 'own' }) end)()", "own"),
    ("coroutine.resume(1)", "resume"), ("coroutine.close(coroutine.running())", "running"),
    ("local co = coroutine.wrap(function() return wait() end) co() co()", "dead coroutine"),
    ("error()", "nil"), ("error(setmetatable({}, { __tostring = error }))", "table"),
    ("io.lines('/nowhere/at/all')", "No such file"), ("io.open('/dev/null', 'x')", "invalid mode"),
    ("local f = io.open('/dev/null') f:close() f:read()", "closed file"),
    ("load(function() error('part') end)()", "attempt to call"),
    ("string.rep('x', 1 << 60)", "resulting string too large"),
    ("table.concat({ {} })", "invalid value"),
    (
      "local t = setmetatable({}, { __index = function(t, k) return t[k] end }) return t.x",
      "overflow"
    ),
    ("local function f() return f() + 1 end f()", "overflow"),
  ])
  func `a mistake in a script is an error of the script`(_ code: String, _ message: String) throws {
    let harness = Harness()
    boxes(in: harness)
    let answer = try harness.run(code)
    #expect(answer.hasPrefix("error: ") && answer.contains(message), "\(answer)")
    #expect(try harness.run("return add(1, 1), box(3).number") == "2,3")
  }
}
