import Glibc
@testable import Host
import Testing

/// However a script ends, its browsers end with it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PageLifeTests {
  private static let endings = [
    (1001, "page:close()"),
    (1002, "do local kept <close> = page end"),
    (1003, "page = nil collectgarbage() collectgarbage()"),
    (1004, ""),
    (1005, "error 'left open'"),
    (1006, "os.exit(3)"),
    (1007, "while true do end"),
    (1008, "task.sleep(600)"),
    (1009, "page:waitFor { text = 'never', timeout = 600 }"),
    (1010, "task.spawn(function() task.sleep(600) end) error 'x'"),
    (
      1011,
      "local t = task.spawn(function() page:waitFor { text = 'never' } end) task.sleep(0) t:cancel()"
    ),
    (
      1012,
      "local t = task.spawn(function() webdriver.open { windowSize = { 1012, 500 } } end) t:cancel()"
    ),
  ]

  /// Those that only a stop ends.
  private static let endless: Set = [1007, 1008, 1009]

  // The thread sanitizer holds signals back while a thread computes in Lua, and a stop needs one.
  @Test(arguments: endings.filter { !isUnderThreadSanitizer || $0.0 != 1007 })
  func `no browser is left`(_ width: Int, _ ending: String) async throws {
    let processes = BrowserProcesses(width: width)
    // The script writes the file when its page is open; from then on it may be stopped.
    let file = "/tmp/luath-page-\(getpid())-\(width)"
    defer { unlink(file) }
    let text = """
      local webdriver, task = require "luath.webdriver", require "luath.task"
      local page = webdriver.open { windowSize = { \(width), 500 } }
      page:go "about:blank"
      assert(io.open("\(file)", "w")):close()
      \(ending)
      """
    var runner = ScriptRunner()
    let isEndless = Self.endless.contains(width)
    runner.end = {
      while !isEndless || access(file, F_OK) != 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
    let (outcome, _) = try await runner.outcome(text)
    if case .notLoaded(let failure) = outcome { Issue.record("\(failure.message)") }
    #expect(access(file, F_OK) == 0, "the page was not opened")
    try await processes.end()
  }

  @Test func `a browser is counted while it is open`() async throws {
    // Proves that the count above sees browsers: this one's own script sees it.
    try await Flow().run(program: "PageLife/counted")
    try await BrowserProcesses(width: 1020).end()
  }
}
