@testable import Lua
import Testing

/// Runs a chunk as a coroutine that waits `waits` times, answering each wait with its number.
final class Harness {
  let state: LuaState
  var waits = 0

  init(memoryLimit: Int = 0) {
    state = LuaState(memoryLimit: memoryLimit)
    let add = LuaFunction(
      usage: "add(a, b)", parameters: [LuaParameter("a", .integer), LuaParameter("b", .integer)]
    ) { call in
      call.push((call.integer(1) ?? 0) + (call.integer(2) ?? 0))
      return .results(1)
    }
    let fail = LuaFunction(usage: "fail()", parameters: []) { _ throws(LuaError) in
      throw .object([("code", .string("broken")), ("message", .string("it broke"))])
    }
    let wait = LuaFunction(
      usage: "wait()", parameters: [],
      finish: { [unowned self] call in
        call.push(Int64(self.waits))
        return .results(1)
      },
      body: { _ in .waits })
    state.setGlobal("add", .function(add))
    state.setGlobal("fail", .function(fail))
    state.setGlobal("wait", .function(wait))
  }

  func run(_ text: String) throws -> String {
    let function = try state.load(Array(text.utf8), name: "=test")
    let coroutine = LuaCoroutine(function, [], in: state)
    while true {
      switch coroutine.resume() {
      case .waiting: waits += 1
      case .finished(let values):
        return values.map { state.read($0) { call, at in describe(call, at) } }
          .joined(separator: ",")
      case .failed(let value, _):
        return "error: " + state.read(value) { call, at in describe(call, at) }
      }
    }
  }

  private func describe(_ call: LuaCall, _ at: Int) -> String {
    if call.isTable(at) { return call.field(at, "code") { $0.string($1) ?? "table" } }
    if let number = call.integer(at) { return "\(number)" }
    if call.isString(at) { return call.string(at) ?? "" }
    return call.isNil(at) ? "nil" : "\(call.boolean(at))"
  }
}

@Suite(.timeLimit(.minutes(isUnderThreadSanitizer ? 10 : 1))) struct LuaStateTests {
  @Test func `a host function gives its result`() throws {
    #expect(try Harness().run("return add(2, 3), add(2.0, 3)") == "5,5")
  }

  @Test(arguments: [
    ("add()", "bad argument #1 to 'add' (integer expected, got no value; usage: add(a, b))"),
    ("add(1, 'x')", "bad argument #2 to 'add' (integer expected, got string; usage: add(a, b))"),
    ("add(1, 2.5)", "bad argument #2 to 'add' (integer expected, got number; usage: add(a, b))"),
    ("add(1, 2, 3)", "bad argument #3 to 'add' (no value expected, got number; usage: add(a, b))"),
  ])
  func `a wrong argument is refused with the usage`(_ code: String, _ message: String) throws {
    #expect(try Harness().run(code).hasSuffix(message))
  }

  @Test func `an error object carries its place and survives pcall`() throws {
    let code = """
      local ok, err = pcall(fail)
      assert(not ok and err.code == "broken" and type(err.traceback) == "string")
      local function outer() fail() end
      local ok, err = pcall(outer)
      return err.where
      """
    #expect(try Harness().run(code) == "test:3")
  }

  @Test func `a wait resumes in straight line`() throws {
    #expect(try Harness().run("local a = wait() local b = wait() return a, b") == "1,2")
  }

  @Test func `a wait passes through pcall, iterators, metamethods and the script's coroutines`()
    throws
  {
    let code = """
      local t = setmetatable({}, { __index = function() return wait() end })
      local _, a = pcall(wait)
      local gen = coroutine.wrap(function()
        for i = 1, 2 do coroutine.yield(wait()) end
      end)
      local b, c = gen(), gen()
      local co = coroutine.create(function(x) local y = wait() return x + y end)
      local ok, d = coroutine.resume(co, 100)
      assert(ok and coroutine.status(co) == "dead")
      local inner = coroutine.wrap(function()
        local nested = coroutine.wrap(function() return wait() end)
        return nested()
      end)
      return a, b, c, d, inner(), t.x
      """
    #expect(try Harness().run(code) == "1,2,3,104,5,6")
  }

  @Test(arguments: [
    ("table.sort({ 3, 2, 1 }, function() return wait() end)", "sort"),
    ("string.gsub('abc', '.', function() return wait() end)", "gsub"),
    ("tostring(setmetatable({}, { __tostring = function() return wait() end }))", "tostring"),
    ("table.sort({ 2, 1 }, coroutine.wrap(function() wait() end))", "construct"),
    ("error((select(2, xpcall(error, function(e) wait() return e end))))", "a message handler"),
    (
      "local t error((select(2, xpcall(function() t.x = 1 end, function(e) wait() return e end))))",
      "a message handler or metamethod"
    ),
    (
      "error((select(2, xpcall(error, function() return select(2, pcall(wait)) end))))",
      "a message handler"
    ),
  ])
  func `a wait where Lua cannot yield fails with the construct's name`(
    _ code: String, _ name: String
  ) throws {
    let answer = try Harness().run(code)
    #expect(answer.contains("wait() waits, and Lua cannot wait inside"))
    #expect(answer.contains(name))
  }

  // The thread sanitizer keeps a stack of its own, which longjmp out of uninstrumented Lua leaves full.
  @Test(
    .disabled(if: isUnderThreadSanitizer),
    arguments: [(100, "true"), (100_000, "C stack overflow")])
  func `coroutines that close one another end before the stack does`(
    _ count: Int, _ answer: String
  ) throws {
    let code = """
      local last
      for _ = 1, \(count) do
        local inner = last
        last = coroutine.create(function()
          local ending <close> = setmetatable({}, { __close = function()
            if inner then
              local good, message = coroutine.close(inner)
              if not good then error(message, 0) end
            end
          end })
          coroutine.yield()
        end)
        coroutine.resume(last)
      end
      return coroutine.close(last)
      """
    #expect(try Harness().run(code).contains(answer))
    let own = "return pcall(coroutine.close, (coroutine.running()))"
    #expect(try Harness().run(own) == "false,cannot close a running coroutine")
  }

  @Test func `yielding from the script itself is refused`() throws {
    #expect(try Harness().run("coroutine.yield(1)").contains("outside a coroutine"))
    #expect(try Harness().run("return coroutine.isyieldable()") == "false")
    #expect(try Harness().run("return select(2, coroutine.running())") == "true")
  }

  @Test(arguments: [
    "local t = {} while true do t[#t + 1] = {} end",
    "local t = {} while true do pcall(function() t[#t + 1] = ('x'):rep(1000) .. #t end) end",
    "local s = 'x' while true do s = s .. s end",
    "local co = coroutine.wrap(function() local t = {} while true do t[#t + 1] = {} end end) co()",
    "local t = {} while true do local ok = pcall(function() while true do t[#t+1] = #t .. 'k' end end) end",
  ])
  func `the memory limit stops a script that grows, inside pcall too`(_ code: String) throws {
    let harness = Harness(memoryLimit: 8 << 20)
    #expect(try harness.run(code).hasPrefix("error"))
    #expect(harness.state.stopReason == .memory)
    #expect(harness.state.memoryInUse < 16 << 20)
  }

  // The thread sanitizer holds signals back until the thread calls something it intercepts, which a
  // loop inside Lua never does.
  @Test(
    .disabled(if: isUnderThreadSanitizer),
    arguments: [
      "while true do end",
      "while true do pcall(error) end",
      "while true do pcall(function() while true do end end) end",
      "local co = coroutine.wrap(function() while true do pcall(error) end end) while true do pcall(co) end",
      "while true do xpcall(error, function() while true do end end) end",
      "setmetatable({}, { __close = 1 }) repeat until false",
      "local t = setmetatable({}, { __index = function(t, k) return t[k] end }) while true do pcall(function() return t.x end) end",
    ])
  func `a stop from another thread ends any loop`(_ code: String) async throws {
    let answer = try await withThread { () -> (String, LuaStop?) in
      let harness = Harness()
      LuaState.adoptCurrentThread()
      let handle = harness.state.stopHandle
      let target = currentThread()
      let (begun, asked) = (Signal(), Signal())
      harness.state.setGlobal(
        "begin",
        .function(
          LuaFunction(usage: "begin()", parameters: []) { _ in
            begun.give()
            return .results(0)
          }))
      startThread {
        begun.wait()
        handle.request(.time, thread: target)
        asked.give()
      }
      let answer = try harness.run("begin() \(code)")
      asked.wait()
      return (answer, harness.state.stopReason)
    }
    #expect(answer.0.hasPrefix("error"))
    #expect(answer.1 == .time)
  }

  @Test func `a stop handle does nothing once the state is closed`() async throws {
    try await withThread {
      let state = LuaState()
      let handle = state.stopHandle
      #expect(handle.interrupt(thread: currentThread()))
      state.close()
      #expect(!handle.request(.time, thread: currentThread()))
      #expect(!handle.interrupt(thread: currentThread()))
    }
  }

  @Test func `an object that keeps its identity is one value as long as it is held`() throws {
    let harness = Harness()
    let (unique, usual) = (
      LuaClass("Unique", "One.", keepsIdentity: true), LuaClass("Usual", "Many.")
    )
    let object = Harness()
    let give = LuaFunction(
      usage: "give(unique)", parameters: [LuaParameter("unique", .boolean, optional: true)]
    ) { call in
      call.push(call.boolean(1) ? unique : usual, object)
      return .results(1)
    }
    harness.state.setGlobal("give", .function(give))
    #expect(
      try harness.run("return rawequal(give(true), give(true)), rawequal(give(), give())")
        == "true,false")
    #expect(try harness.run("return give(true) == give(), give() == give()") == "false,true")
    let keyed = "local t = { [give(true)] = 'here' } collectgarbage() return t[give(true)]"
    #expect(try harness.run(keyed) == "here")
    // Once nobody holds it, the next push makes another.
    let gone = """
      local weak = setmetatable({ give(true) }, { __mode = 'v' })
      collectgarbage() collectgarbage()
      return weak[1] == nil, rawequal(give(true), give(true))
      """
    #expect(try harness.run(gone) == "true,true")
  }

  @Test func `a function can be given its first argument beforehand`() throws {
    let harness = Harness()
    let join = LuaFunction(
      usage: "join(text)",
      parameters: [LuaParameter("first", .string), LuaParameter("text", .string)], callsTable: true
    ) { call in
      call.push((call.string(1) ?? "") + (call.string(2) ?? ""))
      return .results(1)
    }
    harness.state.setGlobal(
      "one", .pushed { call in call.push(join, bound: .string("1:")) })
    harness.state.setGlobal(
      "two", .pushed { call in call.push(join, bound: .string("2:")) })
    #expect(try harness.run("return one('a'), two('b')") == "1:a,2:b")
    #expect(
      try harness.run("return one()").contains(
        "bad argument #1 to 'one' (string expected, got no value; usage: join(text))"))
    #expect(try harness.run("return one('a', 'b')").contains("no value expected, got string"))
  }

  @Test func `a foreign value is never taken for an object`() throws {
    let harness = Harness()
    let type = LuaClass("Box", "A box.")
    type.properties = [
      .computed(
        "size", .integer, "Its size.",
        get: { call in
          call.push(Int64(1))
          return .results(1)
        }),
      .stored("tags", .list(.string), "Words."),
    ]
    type.methods = [
      (
        "grow",
        LuaFunction(usage: "box:grow()", parameters: [LuaParameter("self", .object(type))]) {
          call in
          call.push(true)
          return .results(1)
        }
      )
    ]
    type.describe = { _ in "Box(1)" }
    harness.state.setGlobal("box", .object(type, Harness()))
    #expect(try harness.run("return box.size, box:grow(), tostring(box)") == "1,true,Box(1)")
    #expect(try harness.run("local t = { 'a' } box.tags = t t[2] = 'b' return #box.tags") == "2")
    #expect(
      try harness.run("return box.sise").hasSuffix("Box has no field 'sise'; did you mean 'size'?"))
    #expect(try harness.run("box.size = 2").hasSuffix("Box.size is read only"))
    #expect(try harness.run("box.tags = { 1 }").contains("list of strings expected"))
    #expect(
      try harness.run("box.tags = 'a'").contains("Box.tags: list of strings expected, got string"))
    #expect(try harness.run("box.grow(io.stdout)").contains("Box expected, got userdata"))
    #expect(try harness.run("box.grow({})").contains("Box expected, got table"))
    #expect(try harness.run("return getmetatable(box)") == "Box")
    // The methods mention the class that holds them.
    type.methods = []
    type.properties = []
  }
}
