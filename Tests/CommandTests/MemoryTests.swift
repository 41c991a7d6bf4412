import Foundation
@testable import HTTP
import Testing

/// `--memory` ends what takes too much with one clear error, and nothing else.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MemoryTests {
  /// Scripts that take more and more.
  static let greedy: [(name: String, script: String)] = [
    ("a table", "local t = {} while true do t[#t + 1] = {} end"),
    ("a string", "local s = 'x' while true do s = s .. s end"),
    ("long strings", "local t = {} while true do t[#t + 1] = ('x'):rep(1000000) .. #t end"),
    ("one string", "local s = ('x'):rep(100000000)"),
    (
      "pcall",
      "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end"
    ),
    (
      "xpcall",
      "local t = {} xpcall(function() while true do t[#t + 1] = {} end end, function(m) print 'handled' return m end) print 'after'"
    ),
    (
      "a coroutine",
      "local t = {} coroutine.wrap(function() while true do t[#t + 1] = {} end end)()"
    ),
    (
      "coroutines",
      "local t = {} while true do local c = coroutine.create(function() coroutine.yield() end) coroutine.resume(c) t[#t + 1] = c end"
    ),
    (
      "a comparator",
      "local t = {} table.sort({ 3, 2, 1 }, function() while true do pcall(function() t[#t + 1] = {} end) end end)"
    ),
    (
      "__close",
      "local x <close> = setmetatable({}, { __close = function() print 'closed' end }) local t = {} while true do t[#t + 1] = {} end"
    ),
    ("tasks", "local task = require 'luath.task' while true do task.spawn(task.sleep, 1000) end"),
    ("JSON", "local s = '[' .. ('0,'):rep(3000000) .. '0]' require('luath.json').decode(s)"),
    ("closures", "local t = {} while true do t[#t + 1] = function() return t end end"),
    (
      "table.concat",
      "local t = {} for i = 1, 100 do t[i] = ('x'):rep(100000) end while true do t[#t + 1] = table.concat(t) end"
    ),
  ]

  @Test(arguments: greedy.map(\.name))
  func `the limit ends`(_ name: String) async throws {
    let script = try #require(Self.greedy.first { $0.name == name }).script
    let ending = try await run(script, "--memory", "32M", limit: 90)
    #expect(ending.code == 1)
    #expect(ending.output.isEmpty)
    let message =
      /luath: error: script\.lua(:\d+)?: the script was stopped: it needs more memory than --memory 32M allows\n/
    #expect(ending.errors.prefixMatch(of: message) != nil, "\(ending.errors)")
  }

  @Test func `the limit ends a script that is sent too much`() async throws {
    let loop = try EventLoop(name: "server")
    try loop.start()
    let port = try await LoopActor(loop).run { _ in
      let server = try HTTPServer(loop: loop) { _ in
        .now(ServerResponse(status: 200, body: [UInt8](repeating: 120, count: 30 << 20)))
      }
      return server.port
    }
    let ending = try await run(
      """
      local http, t = require "luath.http", {}
      for i = 1, 3 do t[i] = http.get("http://127.0.0.1:\(port)/").body end
      print "not reached"
      """, "--memory", "32M")
    loop.stop()
    loop.join()
    #expect(ending.code == 1)
    #expect(ending.output.isEmpty)
    #expect(ending.errors.contains("more memory than --memory 32M allows"), "\(ending.errors)")
  }

  @Test func `garbage does not count`() async throws {
    let ending = try await run(
      """
      for i = 1, 200 do local s = ("x"):rep(3000000 + i) end
      for i = 1, 40 do local t = {} for j = 1, 20000 do t[j] = j .. "" end end
      print "done"
      """, "--memory", "32M")
    #expect(ending.output == "done\n")
    #expect(ending.code == 0)
  }

  @Test func `one request too many is an error that a script may catch`() async throws {
    let ending = try await run(
      """
      print(pcall(string.rep, "x", 100000000))
      print(#("x"):rep(1000000))
      """, "--memory", "32M")
    #expect(ending.output == "false\tnot enough memory\n1000000\n")
    #expect(ending.code == 0)
  }
}
