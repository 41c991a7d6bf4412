@testable import Host
import Synchronization
@testable import System
import Testing

@testable import Journeys

/// Reporters written in Lua, fed with a recorded run.
@Suite(.timeLimit(.minutes(1))) struct LuaSinkTests {
  private final class Output: Sendable {
    private let text = Mutex("")
    var written: String { text.withLock { $0 } }
    func write(_ more: String) -> Int32 {
      text.withLock { $0 += more }
      return 0
    }
  }

  private func script(
    _ text: String, within limit: Duration = .seconds(10)
  ) throws(ReporterScript.Problem) -> ReporterScript {
    try ReporterScript(
      Script(text: Array(text.utf8), name: "mine.lua", folder: nil),
      events: RunEvent.names + [LuaSink.loadReport], environment: ["COLOR": "blue"], limit: limit)
  }

  /// What a reporter prints for the recorded run, and its error.
  private func report(
    _ text: String, within limit: Duration = .seconds(10)
  ) throws -> (output: String, error: SinkError?) {
    let output = Output()
    let sink = try LuaSink(try script(text, within: limit), ReportOutput(output.write))
    for event in SampleRun.events { sink.take(event) }
    do throws(SinkError) {
      try sink.end()
      return (output.written, nil)
    } catch {
      return (output.written, error)
    }
  }

  @Test func `a function receives every event as the event file has it`() throws {
    let (output, error) = try report(
      """
      local json = require "luath.json"
      return function(event) io.write(json.encode(event), "\\n") end
      """)
    #expect(error == nil)
    let lines = output.split(separator: "\n")
    try #require(lines.count == SampleRun.events.count)
    for (line, event) in zip(lines, SampleRun.events) {
      let received = try JSON.parse(Array(line.utf8)).encoded(sortedKeys: true)
      #expect(received == event.json.encoded(sortedKeys: true))
    }
  }

  @Test func `the names of the events are those of the recorded run and the schema`() {
    #expect(Set(SampleRun.events.map(\.name)).isSubset(of: RunEvent.names))
    #expect(Set(RunEvent.names).count == RunEvent.names.count)
  }

  @Test func `a table receives its events, then finish`() throws {
    let (output, error) = try report(
      """
      local count = 0
      return {
        ["journey.result"] = function(event) count = count + 1 end,
        ["run.start"] = function(event) io.write("start ", event.version, " ") end,
        finish = function() print(count, "results") end,
      }
      """)
    #expect(error == nil)
    let results = SampleRun.events.count { $0.name == "journey.result" }
    #expect(output == "start 1 \(results)\tresults\n")
  }

  @Test func `only a reporter that wants exchanges and pages makes the run record them`() throws {
    func sink(_ text: String) throws -> LuaSink {
      try LuaSink(try script(text), ReportOutput { _ in 0 })
    }
    let plain = try sink("return { ['run.end'] = function() end }")
    #expect(!plain.wantsExchanges && !plain.wantsEvidence)
    let exchanges = try sink("return { http = function() end }")
    #expect(exchanges.wantsExchanges && !exchanges.wantsEvidence)
    let pages = try sink("return { attachment = function() end }")
    #expect(pages.wantsExchanges && pages.wantsEvidence)
    let all = try sink("return function() end")
    #expect(all.wantsExchanges && all.wantsEvidence)
  }

  @Test(arguments: [
    ("return {", "mine.lua:1: unexpected symbol near <eof>"),
    ("error 'no such luck'", "mine.lua:1: no such luck"),
    ("local x = 1", "mine.lua: a reporter returns a function or a table of functions, not nothing"),
    ("return 'x'", "mine.lua: a reporter returns a function or a table of functions, not a string"),
    ("return {}", "mine.lua: the reporter returns an empty table"),
    ("return { ['run.stop'] = print }", "mine.lua: there is no event 'run.stop'"),
    ("return { print }", "mine.lua: there is no event '1'"),
    ("return { finish = 1 }", "mine.lua: 'finish' of a reporter is a function, not a number"),
    ("os.exit(0)", "mine.lua: the reporter calls os.exit"),
    (
      "require 'luath.auth'",
      "mine.lua:1: a reporter cannot use luath.auth, as it has no target"
    ),
  ])
  func `a script that is no reporter is refused`(_ text: String, _ words: String) throws {
    let problem = #expect(throws: ReporterScript.Problem.self) { try script(text) }
    #expect(problem?.message.hasPrefix(words) == true, "\(problem?.message ?? "")")
  }

  @Test func `after an error it receives nothing more`() throws {
    let (output, error) = try report(
      """
      local count = 0
      return {
        ["journey.start"] = function(event)
          count = count + 1
          print("start", count)
          local name = event.nothing.name
        end,
        finish = function() print "finish" end,
      }
      """)
    #expect(output == "start\t1\n")
    #expect(
      error?.message.hasPrefix("the reporter failed: mine.lua:6: attempt to index a nil value")
        == true, "\(error?.message ?? "")")
  }

  @Test func `its tasks are waited for after finish, up to the time limit`() throws {
    let task = "local task <const> = require 'luath.task'\n"
    let (output, error) = try report(
      task
        + "return { finish = function() task.spawn(function() task.sleep(0.05) print 'sent' end) end }"
    )
    #expect(output == "sent\n" && error == nil)
    let endless = try report(
      task + "return { finish = function() task.spawn(task.sleep, 3600) end }",
      within: .milliseconds(100))
    #expect(
      endless.error?.message
        == "the reporter failed: mine.lua: the reporter took more than 0.1 s for a task after finish"
    )
  }

  @Test func `too much output is refused at the line that prints it`() throws {
    let (_, error) = try report(
      "return { ['run.end'] = function()\n  while true do print(('x'):rep(1 << 20)) end\nend }")
    #expect(
      error?.message == "the reporter failed: mine.lua:2: a reporter may print 32 MiB at a time",
      "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "while true do end", "require 'luath.task'.sleep(3600)",
    "local function f() while true do pcall(f) end end f()",
  ])
  func `a loop without an end is stopped`(_ body: String) throws {
    let (output, error) = try report(
      "return { ['run.end'] = function() print 'now'; \(body) end }",
      within: .milliseconds(100))
    #expect(output == "now\n")
    let message = error?.message ?? ""
    #expect(message.contains("the reporter took more than 0.1 s for run.end"), "\(message)")
    #expect(message.hasPrefix("the reporter failed: mine.lua:1: "), "\(message)")
  }

  @Test func `a loop at its top level is stopped`() throws {
    let problem = #expect(throws: ReporterScript.Problem.self) {
      try script("while true do end", within: .milliseconds(100))
    }
    #expect(problem?.message.contains("took more than 0.1 s for its top level") == true)
  }

  @Test func `a task that fails is reported`() throws {
    let (_, error) = try report(
      """
      local task = require "luath.task"
      return { ["run.start"] = function() task.spawn(function() error "in a task" end) end }
      """)
    #expect(error?.message.contains("mine.lua:2: in a task") == true, "\(error?.message ?? "")")
  }

  @Test func `output without an end is stopped`() throws {
    let (_, error) = try report(
      "local x = ('x'):rep(1 << 20)\nreturn { ['run.start'] = function() while true do print(x) end end }"
    )
    #expect(error?.message.contains("a reporter may print 32 MiB at a time") == true)
  }
}
