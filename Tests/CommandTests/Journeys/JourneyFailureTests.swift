import Foundation
import Testing

/// What fails in a journey is told, wherever and however it ends.
@Suite(.timeLimit(.minutes(5)))
struct JourneyFailureTests {
  @Test func `soft checks of hooks, deferred functions and fixtures fail the journey`()
    async throws
  {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local own = journey.fixture("own", function(f)
        f:defer(function() expect.soft.equal(1, 2, "fixture's defer") end)
      end)
      journey.afterEach(function() expect.soft.equal(1, 2, "afterEach") end)
      local wide = journey.fixture("wide", { scope = "file" }, function(f)
        f:defer(function() expect.soft.equal(1, 2, "wide") end)
      end)
      journey.afterAll(function()
        for index = 1, 2 do expect.soft.equal(1, 2, "afterAll " .. index) end
      end)
      journey("one", function(j)
        j:use(wide)
        j:use(own)
        j:defer(function() expect.soft.equal(1, 2, "defer") end)
      end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")
    for words in ["afterEach", "fixture's defer", "defer", "afterAll 1", "afterAll 2", "wide"] {
      #expect(ending.output.contains(" \(words): expected 2, got 1"), "\(ending.output)")
    }
  }

  @Test func `soft failures stay when a journey is stopped`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local function soft() expect.soft.equal(1, 2, "soft") end
      journey("waits", { timeout = 0.2 }, function() soft() task.sleep(5) end)
      journey("spins", { timeout = 0.2 }, function() soft() while true do end end)
      journey("exits", function() soft() os.exit(0) end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("0 passed, 3 failed"), "\(ending.output)\(ending.errors)")
    #expect(ending.output.ranges(of: " soft: expected 2, got 1").count == 3, "\(ending.output)")
  }

  @Test func `an interrupted journey keeps what its checks found`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey("one", function()
        expect.soft.equal(1, 2, "soft")
        io.stdout:write "ready\\n"
        io.stdout:flush()
        task.sleep(100)
      end)
      """
    ])
    let luath = try folder.start()
    #expect(await luath.line(with: "ready") != nil)
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.code == 130)
    #expect(ending.output.contains("it was interrupted"), "\(ending.output)")
    #expect(ending.output.contains(" soft: expected 2, got 1"), "\(ending.output)")
  }

  @Test(arguments: ["task.sleep(100)", "while true do end"])
  func `interrupted hooks say so, and fixtures are taken down`(_ waits: String) async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local run = journey.fixture("run", { scope = "run" }, function(f)
        f:defer(function() say "run down" end)
        return 1
      end)
      journey("one", function(j) j:use(run) end)
      journey.afterAll(function()
        io.stdout:write "ready\\n"
        io.stdout:flush()
        \(waits)
      end)
      """
    ])
    let luath = try folder.start()
    #expect(await luath.line(with: "ready") != nil)
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.code == 130)
    #expect(folder.log == ["run down"])
    #expect(ending.output.contains("afterAll was interrupted"), "\(ending.output)")
  }

  @Test func `what spins at the end of a run's fixture is named, and the rest runs`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local run = journey.fixture("run", { scope = "run", timeout = 0.2 }, function(f)
        f:defer(function() say "run down" end)
        f:defer(function() while true do end end)
        return 1
      end)
      journey("one", function(j) j:use(run) end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.code == 1)
    #expect(folder.log == ["run down"])
    #expect(
      ending.output.contains("fixture 'run': the journey computed without end"), "\(ending.output)")
  }

  @Test func `what fails of a journey's fixture names the fixture, within its time`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local house = journey.fixture("house", { timeout = 0.2 }, function(j)
        j:defer(function() task.sleep(100) end)
        j:defer(function() error "boom" end)
        expect.soft.equal(1, 2)
      end)
      local own; own = journey.fixture("own", { timeout = 60 }, function(j) return j:use(own) end)
      local run = journey.fixture("run", { scope = "run" }, function() return print end)
      journey("house", function(j) j:use(house) end)
      journey("own", function(j) j:use(own) end)
      journey("run", function(j) j:use(run) end)
      """
    ])
    let ending = try await folder.test()
    for words in [
      "fixture 'house': expected 2, got 1", "fixture 'own': the fixture uses itself",
      "fixture 'run': a fixture of the run can only be data",
    ] {
      #expect(ending.output.contains(words), "\(ending.output)")
    }
    #expect(ending.output.contains(/fixture 'house': defer of \S+:10: boom/), "\(ending.output)")
    let late = #/fixture 'house': defer of \S+:9: [^\n]* did not end within 0.2 seconds/#
    #expect(ending.output.contains(late), "\(ending.output)")
  }

  @Test func `an interrupted afterEach interrupts its journey`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey.afterEach(function()
        io.stdout:write "ready\\n"
        io.stdout:flush()
        task.sleep(100)
      end)
      journey("one", function() end)
      """
    ])
    let luath = try folder.start()
    #expect(await luath.line(with: "ready") != nil)
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.output.contains("afterEach was interrupted"), "\(ending.output)")
    #expect(ending.output.contains("0 passed, 1 interrupted"), "\(ending.output)")
  }

  @Test func `too much memory is told as that`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey("one request", function()
        local list = {}
        for i = 1, 1e9 do list[i] = ("x"):rep(1000000) .. i end
      end)
      journey("many", function(j)
        j:defer(function() say "down" end)
        j.list = {}
        for i = 1, 1e9 do j.list[i] = ("x"):rep(1000) .. i end
      end)
      """
    ])
    let ending = try await folder.test("--memory", "64M")
    #expect(ending.output.contains("0 passed, 2 failed"), "\(ending.output)\(ending.errors)")
    #expect(
      ending.output.ranges(of: "the journey took more memory than --memory allows").count == 2,
      "\(ending.output)")
    #expect(folder.log == ["down"])
  }

  @Test func `failures in tasks keep their steps and values`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey("left fails", function(j)
        j:step("outer", function()
          task.all {
            function() j:step("left", function() task.sleep(0) expect.equal(1, 2) end) end,
            function() j:step("right", function() task.sleep(100) end) end,
          }
        end)
      end)
      journey("nobody awaits it", function(j)
        task.spawn(function()
          j:step("inner", function() expect.same({ x = { 1, 2 } }, { x = { 1, 3 } }) end)
        end)
        task.sleep(0)
      end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("step: outer > left"), "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("step: inner"))
    #expect(ending.output.contains(/- +\[2\] = 3,/))
  }

  @Test func `a wide fixture's soft failures fail every journey that uses it`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      for _, scope in ipairs { "file", "run" } do
        local wide = journey.fixture(scope, { scope = scope }, function()
          expect.soft.equal(1, 2, scope .. " is soft")
          return 1
        end)
        journey(scope .. " one", function(j) j:use(wide) j:use(wide) end)
        journey(scope .. " two", function(j) j:use(wide) end)
      end
      journey.group("block", function()
        journey.beforeAll(function() expect.soft.equal(1, 2, "block is soft") end)
        journey("first", function() say "first" end)
        journey("second", function() say "second" end)
      end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("0 passed, 6 failed"), "\(ending.output)\(ending.errors)")
    for words in ["file is soft", "run is soft", "block is soft"] {
      #expect(ending.output.ranges(of: "\(words): expected 2").count == 2, "\(ending.output)")
    }
    #expect(folder.log == ["first", "second"])
  }

  @Test func `soft raises goes on when a check inside it fails`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey("one", function()
        expect.soft.raises("x", function() expect.equal(1, 2) end)
        say "goes on"
      end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("expected 2, got 1"), "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["goes on"])
  }

  @Test func `functions of Lua's library that were replaced do not change what is told`()
    async throws
  {
    let break_ = """
      string.rep = function() return "q" end
      string.format = function() return "FMT" end
      table.concat = function() return "CC" end
      """
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local file = assert(io.open("log.txt", "w"))
      journey.afterEach(function() file:write(string.format("%d", 1), "\\n") end)
      journey("soft", function(j)
        \(break_)
        expect.soft.same({ a = { b = { 1, 2 } } }, { a = { b = { 1, 3 } } })
        j:step("a step", function() error { code = "mine", message = "boom" } end)
      end)
      journey("next", function() expect.equal(("%d"):format(1), "1") end)
      """,
      "two_spec.lua": """
      it("breaks", function()
        \(break_)
        assert.same({ a = 1 }, { a = 2 })
      end)
      it("sees it", function() assert.equal("FMT", string.format("%d", 1)) end)
      """,
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("2 passed, 2 failed"), "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains(".a.b[2] differs: expected 3, got 2"))
    #expect(ending.output.contains(/-       \[2\] = 3,/))
    #expect(ending.output.contains("mine: boom"))
    #expect(ending.output.contains("step: a step"))
    #expect(ending.output.contains("*[a] = 2"))
    #expect(folder.log == ["FMT", "1"])
  }

  @Test func `checks and placeholders that a journey adds end with it`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      expect.extend { always = function() return true end }
      journey("adds", function()
        expect.extend { mine = function() return true end }
        expect.any.uid = expect.any.value
        expect.mine(1)
        expect.no.equal(1, 2)
      end)
      journey("has none", function()
        expect.always(1)
        expect.raises(expect.any.string "no check 'mine'", function() expect.mine(1) end)
        expect.no.matches(1, expect.any.uid)
      end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
  }

  @Test func `a journey changes its own copy of what a fixture of the run gives`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local run = journey.fixture("run", { scope = "run" }, function() return { n = { 1 } } end)
      for index = 1, 3 do
        journey("j" .. index, function(j)
          expect.same(j:use(run), { n = { 1 } })
          j:use(run).n[1] = 7
        end)
      end
      """
    ])
    let ending = try await folder.test()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
  }

  @Test func `beforeAll can skip the journeys of its block`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey.group("skipped", function()
        journey.beforeAll(function(b) b:log(b.name) b:skip "not today" end)
        journey("one", function() say "one" end)
        journey.group("in", function() journey("two", function() say "two" end) end)
      end)
      journey.group("pending", function()
        journey.beforeAll(function(b) b:pending "later" end)
        journey("three", function() say "three" end)
      end)
      journey.group("wrong", function()
        journey.beforeAll(function(b) b:defer(print) end)
        journey("four", function() say "four" end)
      end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("one (skipped: not today)"), "\(ending.output)")
    #expect(ending.output.contains("two (skipped: not today)"), "\(ending.output)")
    #expect(ending.output.contains("beforeAll has no 'defer'"), "\(ending.output)")
    #expect(
      ending.output.contains("0 passed, 1 failed, 2 skipped, 1 pending"), "\(ending.output)")
    #expect(folder.log.isEmpty)
  }

  @Test func `what is raised or given wrongly is told with the line of the journey`()
    async throws
  {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey("defers", function(j) j:defer(function() error { code = 3 } end) end)
      journey("nil", function(j) j:secret(nil) end)
      journey("number", function(j) j:secret(12345678) end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("{ code = 3 }\n"), "\(ending.output)\(ending.errors)")
    for kind in ["nil", "number"] {
      let words = #"one_journey.lua:\d+: bad argument #1 to 'secret' \(a text expected, got "#
      #expect(ending.output.contains(try Regex(words + kind)), "\(ending.output)")
    }
  }
}
