import Foundation
import Testing

/// What comes before and after a journey comes for certain, in its order, and nothing is left.
@Suite(.timeLimit(.minutes(5)))
struct JourneyLifeTests {
  @Test func `hooks run from outside inwards and back`() async throws {
    let folder = try JourneyFolder(program: "JourneyLife/order")
    let ending = try await folder.test()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let before = ["file beforeEach", "group beforeEach"]
    let after = ["group afterEach", "file afterEach"]
    #expect(
      folder.log == ["file beforeAll", "group beforeAll"]
        + before + ["one"] + after + ["deferred last", "deferred first"]
        + before + ["two"] + after + ["group afterAll", "file afterAll"])
  }

  @Test func `what spins at a journey's end is named, and keeps nothing else from running`()
    async throws
  {
    let folder = try JourneyFolder(program: "JourneyLife/spinning-end")
    let ending = try await folder.test("--timeout", "1s")
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["after", "oldest", "after", "deferred", "fixture down", "after"])
    #expect(
      ending.output.contains(/defer of one_journey.lua:\d+: the journey computed without end/))
    #expect(ending.output.contains("'skip' comes too late"))
    #expect(ending.output.contains("1 passed, 2 failed"))
  }

  @Test func `what spins at the end of a block or file is named, and the rest runs`()
    async throws
  {
    let folder = try JourneyFolder(program: "JourneyLife/spinning-block")
    let ending = try await folder.test("--timeout", "1s")
    #expect(ending.code == 3 || ending.code == 1, "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["second afterAll", "two", "file afterAll", "wide down"])
    #expect(ending.output.contains("afterAll of 'block': "))
    #expect(ending.output.contains("fixture 'wide': "))
    #expect(ending.output.contains("2 passed"))
  }

  @Test(arguments: [
    "for name in pairs(string) do string[name] = nil end",
    "for name in pairs(package.loaded) do package.loaded[name] = nil end",
    "debug.setmetatable('', nil)", "getmetatable('').__index = nil",
  ])
  func `a journey that takes strings or modules away spoils no other`(body: String) async throws {
    let folder = try JourneyFolder(program: "JourneyLife/taken-away", ["BODY": body])
    let ending = try await folder.test()
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["after ONE", "after TWO", "three", "after THREE"])
    #expect(ending.output.contains("on purpose"))
    #expect(ending.output.contains("2 passed, 1 failed"))
  }

  @Test func `hooks around a block skip, fail once and burden no other journey`() async throws {
    let folder = try JourneyFolder(program: "JourneyLife/hooks-of-blocks")
    let ending = try await folder.test("--timeout", "1s")
    #expect(ending.code == 3 || ending.code == 1, "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["setup"])
    #expect(ending.output.contains("skipped: not on this target"))
    #expect(ending.output.contains("beforeAll of 'hangs'"))
    #expect(
      ending.output.contains("the setup of 'hangs' did not end when an earlier journey ran it"))
    #expect(ending.output.contains("step: outer"))
    #expect(ending.output.contains("1 passed, 3 failed, 1 skipped, 1 broken file"))
  }

  @Test func `a failure names the hook or the fixture by the word of its declaration`()
    async throws
  {
    let folder = try JourneyFolder(program: "JourneyLife/names-of-hooks")
    let ending = try await folder.test()
    #expect(ending.code == 1)
    #expect(ending.output.contains("timeout: fixture 'slow' did not end within 0.05 seconds"))
    #expect(ending.output.contains(": beforeAll of 'group': 1"))
    #expect(ending.output.contains(": afterAll of 'group': 2"))
    #expect(!ending.output.contains("around the journey"))
  }

  @Test(arguments: [
    "error 'on purpose'", "task.sleep(100)", "while true do end", "os.exit(0)", "j:skip()",
    "expect.equal(1, 2)", "local s = 'x' while true do s = s .. s end",
  ])
  func `whatever a journey does, it is cleaned up and the next one runs`(body: String)
    async throws
  {
    let folder = try JourneyFolder(program: "JourneyLife/any-end", ["BODY": body])
    let ending = try await folder.test("--timeout", "1s", "--memory", "64M")
    #expect(ending.code == (body == "j:skip()" ? 0 : 1), "\(ending.output)\(ending.errors)")
    let log = folder.log
    #expect(
      log.filter { $0 != "wide down" } == ["after", "deferred", "narrow down", "two", "after"])
    #expect(log.count { $0 == "wide down" } == 1)
  }

  @Test func `nothing that is taken down can keep the rest from it`() async throws {
    let folder = try JourneyFolder(program: "JourneyLife/failing-ends")
    let ending = try await folder.test()
    #expect(ending.code == 1)
    #expect(folder.log == ["last of all", "two"])
  }

  @Test func `no journey sees what another one did`() async throws {
    let folder = try JourneyFolder(program: "JourneyLife/isolation")
    let ending = try await folder.test()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["true", "true"])
  }

  @Test func `random numbers depend on the seed and the journey, not on what ran before`()
    async throws
  {
    let text = """
      journey("one", function() say("one", math.random(1 << 40)) end)
      journey("two", function() say("two", math.random(1 << 40)) end)
      """
    let turned = text.split(separator: "\n").reversed().joined(separator: "\n")
    let folder = try JourneyFolder(["one_journey.lua": text])
    _ = try await folder.test("--seed", "7")
    let first = Set(folder.log)
    let other = try JourneyFolder(["one_journey.lua": turned])
    _ = try await other.test("--seed", "7")
    #expect(Set(other.log) == first)
    _ = try await other.test("--seed", "8")
    #expect(Set(other.log).isDisjoint(with: first))
  }

  @Test(arguments: ["1", "3"])
  func `a fixture of the run is made once and taken down when all are done`(jobs: String)
    async throws
  {
    let user = """
      local server = require "server"
      journey("one", function(j) say("port", j:use(server).port) end)
      journey("two", function(j) say("port", j:use(server).port) end)
      """
    let folder = try JourneyFolder([
      "server.lua": luaProgram("JourneyLife/server"),
      "a_journey.lua": user, "b_journey.lua": user, "c_journey.lua": user,
    ])
    let ending = try await folder.test("--jobs", jobs)
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(folder.log == Array(repeating: "port 8080", count: 6) + ["down"])
  }

  @Test func `a file's journeys share a project where it says so`() async throws {
    let text = try luaProgram("JourneyLife/session")
    let folder = try JourneyFolder([
      "one_journey.lua": "journey.configure { project = 'file' }\n" + text
    ])
    let ending = try await folder.test()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["one ada@example.com", "two ada@example.com"])
    // Another file has a project of its own, and so has each journey without the setting.
    let others = try JourneyFolder([
      "one_journey.lua": text,
      "two_journey.lua": text.replacing("\"file\" }", with: "\"run\" }"),
      "three_journey.lua": "journey.configure { project = 'week' }",
    ])
    let refused = try await others.test()
    #expect(refused.code == 1)
    for part in [
      "a fixture of the file or beforeAll cannot save a session", "project = \"file\"",
      "a fixture of the run cannot save a session", "'journey' or 'file' expected, got 'week'",
    ] {
      #expect(refused.output.contains(part), "\(refused.output)\(refused.errors)")
    }
  }

  @Test func `journeys of a file run side by side where it says so`() async throws {
    let text = try luaProgram("JourneyLife/side-by-side")
    let folder = try JourneyFolder([
      "one_journey.lua": "journey.configure { parallel = true }\n" + text
    ])
    let ending = try await folder.test("--jobs", "2")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let other = try JourneyFolder(["one_journey.lua": text.replacing("20", with: "1")])
    #expect(try await other.test("--jobs", "2").code == 1, "they are to take turns")
  }

  @Test func `Ctrl-C ends the journey and takes everything down`() async throws {
    let folder = try JourneyFolder(program: "JourneyLife/interrupted")
    let luath = try folder.start()
    #expect(await luath.line(with: "ready") != nil)
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.code == 130)
    #expect(folder.log == ["deferred", "wide down"])
  }
}
