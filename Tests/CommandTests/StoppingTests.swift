import Foundation
import Testing

/// Limits and signals end every script, whatever it is busy with.
///
/// Not under the thread sanitizer, which holds signals back while Lua runs.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .disabled(if: ProcessInfo.processInfo.environment["LUATH_SANITIZER"] == "thread"))
struct StoppingTests {
  /// Scripts that are never done; each prints `ready` first.
  static let endless: [(name: String, script: String)] = [
    ("pcall", "while true do pcall(error) end"),
    ("nothing", "while true do end"),
    ("goto", "::again:: goto again"),
    ("a wait", "require('luath.task').sleep(1000)"),
    ("caught waits", "local t = require 'luath.task' while true do pcall(t.sleep, 1000) end"),
    ("an awaited task", "local t = require 'luath.task' t.spawn(t.sleep, 1000):await()"),
    ("a busy task", "require('luath.task').spawn(function() while true do pcall(error) end end)"),
    (
      "busy tasks",
      "local t = require 'luath.task' for _ = 1, 9 do t.spawn(function() while true do pcall(t.sleep, 0) end end) end"
    ),
    ("string.rep", "while true do string.rep('x', 10000000) end"),
    ("xpcall's handler", "xpcall(error, function() while true do end end)"),
    ("failing handlers", "while true do xpcall(error, function() error() end) end"),
    (
      "coroutine.wrap",
      "while true do coroutine.wrap(function() while true do coroutine.yield(pcall(error)) end end)() end"
    ),
    (
      "a wrapped loop",
      "local f = coroutine.wrap(function() while true do pcall(coroutine.yield) end end) while true do pcall(f) end"
    ),
    (
      "nested coroutines",
      "local function f(n) if n == 0 then while true do pcall(error) end end coroutine.wrap(f)(n - 1) end f(50)"
    ),
    ("a sort comparator", "table.sort({ 3, 2, 1 }, function() while true do pcall(error) end end)"),
    ("a gsub function", "('x'):gsub('x', function() while true do pcall(error) end end)"),
    ("__tostring", "tostring(setmetatable({}, { __tostring = function() while true do end end }))"),
    (
      "__index",
      "local t = setmetatable({}, { __index = function() while true do end end }) print(t.x)"
    ),
    (
      "__close",
      "local x <close> = setmetatable({}, { __close = function() while true do end end })"
    ),
    (
      "__close of a loop",
      "local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end"
    ),
    (
      "__close in a coroutine",
      "coroutine.wrap(function() local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end end)()"
    ),
    (
      "an error's words",
      "error(setmetatable({}, { __tostring = function() while true do end end }))"
    ),
    ("a module", "package.preload.m = function() while true do pcall(error) end end require 'm'"),
    ("hooks of its own", "while true do debug.sethook(function() end, 'l') end"),
    ("removed hooks", "while true do debug.sethook() pcall(error) end"),
    ("load", "while true do load(function() return 'x=1 ' end) end"),
  ]

  @Test(arguments: endless.map(\.name))
  func `a time limit ends`(_ name: String) async throws {
    let script = try #require(Self.endless.first { $0.name == name }).script
    let ending = try await run(script, "--timeout", "300ms")
    #expect(ending.code == 6)
    // With the line at which it was, if it was in one.
    let message =
      /luath: error: script\.lua(:\d+)?: the script was stopped after its time limit of 300ms\n/
    #expect(ending.errors.prefixMatch(of: message) != nil, "\(ending.errors)")
  }

  @Test(arguments: endless.map(\.name))
  func `Ctrl-C ends`(_ name: String) async throws {
    let script = try #require(Self.endless.first { $0.name == name }).script
    let (luath, folder) = try start("print 'ready'; " + script)
    _ = await luath.line(with: "ready")
    luath.send(SIGINT)
    let ending = await luath.ending()
    withExtendedLifetime(folder) {}
    #expect(!ending.wasKilled)
    #expect(ending.code == 130)
    #expect(ending.errors == "luath: error: script.lua was interrupted\n")
  }

  /// How a script ends by a time limit, after it has come as far as it must: a busy machine needs longer for that.
  private func stopped(
    _ script: String, _ hasBegun: (Luath.Ending) -> Bool
  ) async throws -> Luath.Ending {
    for limit in ["300ms", "3s"] {
      let ending = try await run(script, "--timeout", limit)
      if hasBegun(ending) { return ending }
    }
    return try await run(script, "--timeout", "20s")
  }

  /// Code that no hook reaches: the process is given up after a grace period.
  static let stuck: [(name: String, script: String)] = [
    ("a pathological pattern", "(('a'):rep(400)):find(('a-'):rep(40) .. 'b')"),
    (
      "a finalizer",
      "setmetatable({}, { __gc = function() while true do end end }) collectgarbage()"
    ),
    ("a finalizer at the end", "setmetatable({}, { __gc = function() while true do end end })"),
    ("a hook", "debug.sethook(function() while true do end end, 'l')\nprint 'x'"),
  ]

  @Test(arguments: stuck.map(\.name))
  func `a time limit gives up`(_ name: String) async throws {
    let script = try #require(Self.stuck.first { $0.name == name }).script
    let ending = try await stopped("io.write 'kept'; " + script) { $0.output == "kept" }
    #expect(ending.code == 6)
    #expect(ending.output == "kept")
    #expect(ending.errors.hasPrefix("luath: error: the script did not stop"))
  }

  @Test func `a script is not stopped before its limit`() async throws {
    let ending = try await run("while true do pcall(error) end", "--timeout", "1")
    #expect(ending.code == 6)
    #expect(ending.seconds >= 1)
    #expect(
      ending.errors.contains(" was stopped after its time limit of 1 s\n"), "\(ending.errors)")
  }

  @Test(arguments: ["--timeout=2s", nil])
  func `a request that is never answered can be stopped`(_ option: String?) async throws {
    let silent = try SilentPort()
    let (luath, folder) = try start(
      "print 'ready' require('luath.http').get 'http://127.0.0.1:\(silent.port)/'",
      option.map { [$0] } ?? [])
    _ = await luath.line(with: "ready")
    if option == nil { luath.send(SIGINT) }
    let ending = await luath.ending()
    withExtendedLifetime((folder, silent)) {}
    #expect(!ending.wasKilled)
    #expect(ending.code == (option == nil ? 130 : 6))
    #expect(ending.errors.contains(option == nil ? "script.lua was interrupted" : "script.lua:1: "))
  }

  @Test func `a second Ctrl-C ends the process at once`() async throws {
    let (luath, folder) = try start("print 'ready'; (('a'):rep(400)):find(('a-'):rep(40) .. 'b')")
    _ = await luath.line(with: "ready")
    luath.send(SIGINT)
    // Signals within half a second count as one.
    try await Task.sleep(for: .milliseconds(700))
    luath.send(SIGTERM)
    let ending = await luath.ending()
    withExtendedLifetime(folder) {}
    #expect(ending.code == 130)
    #expect(!ending.wasKilled)
  }

  @Test func `SIGTERM ends a script as Ctrl-C does`() async throws {
    let (luath, folder) = try start("print 'ready' while true do pcall(error) end")
    _ = await luath.line(with: "ready")
    luath.send(SIGTERM)
    let ending = await luath.ending()
    withExtendedLifetime(folder) {}
    #expect(ending.code == 130)
  }

  @Test func `finalizers run when a script is stopped`() async throws {
    let ending = try await stopped(
      """
      kept = setmetatable({}, { __gc = function() print "finalized" end })
      while true do pcall(error) end
      """
    ) { !$0.output.isEmpty }
    #expect(ending.code == 6)
    #expect(ending.output == "finalized\n")
  }

  @Test(arguments: ["print(1)", "io.write('x')", "io.stdout:write('x'):flush()"])
  func `a reader that went away ends the script`(_ writing: String) async throws {
    let (luath, folder) = try start("print 'ready' while true do \(writing) end")
    _ = await luath.line(with: "ready")
    luath.closeOutput()
    let ending = await luath.ending()
    withExtendedLifetime(folder) {}
    #expect(!ending.wasKilled)
    // As for other programs: ended by SIGPIPE, without a word.
    #expect(ending.code == 128 + SIGPIPE)
    #expect(ending.errors.isEmpty)
  }
}
