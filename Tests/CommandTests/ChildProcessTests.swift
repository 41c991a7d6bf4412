import Foundation
import Testing

/// What programs that luath starts inherit, and how waits for them end.
@Suite(.timeLimit(.minutes(2))) struct ChildProcessTests {
  /// A shell command that prints its blocked and ignored signals, and its descriptors.
  ///
  /// `ls` itself opens 3. The C library ignores signals 32 and 33 on its own behalf.
  private static let look =
    "grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -d '\\t'; ls /proc/self/fd | tr '\\n' ' '"
  private static let clean = "SigBlk:0000000000000000\nSigIgn:0000000180000000\n0 1 2 3 "

  @Test(arguments: [
    "os.execute [[LOOK]]", "io.write(io.popen[[LOOK]]:read 'a')",
    "local p = io.popen([[LOOK]], 'w') p:close()",
  ])
  func `a child inherits no signal settings and no descriptors`(_ script: String) async throws {
    let ending = try await run(
      "local file, pipe = io.open 'script.lua', io.popen('cat', 'w')\n"
        + script.replacing("LOOK", with: Self.look)
        + "\npipe:close()")
    #expect(ending.output == Self.clean, "\(ending.errors)")
  }

  @Test func `a program behind a pipe can be ended with kill`() async throws {
    let ending = try await run(
      luaProgram("ChildProcess/kill"))
    #expect(ending.output == "nil\tsignal\t15\nnil\tsignal\t15\n")
  }

  @Test func `execute and popen give what Lua's own give`() async throws {
    let ending = try await run(
      luaProgram("ChildProcess/pipes"))
    #expect(
      ending.output == """
        true
        true\texit\t0
        nil\texit\t3
        nil\texit\t4
        \(String(repeating: "x", count: 1000))
        nil\texit\t5
        closed file\tfalse\tattempt to use a closed file
        588895
        a;b;false\tbad argument #2 to 'io.popen' (invalid mode)

        """, "\(ending.errors)")
  }

  /// Each waits for a program that does not end, one that ignores SIGTERM among them.
  static let waits = [
    "os.execute 'exec sleep 1000'", "os.execute 'sleep 1000; sleep 1000'",
    "io.popen('(sleep 1000; true) & sleep 1000', 'w'):close()",
    "os.execute [[trap '' TERM; while :; do :; done]]",
    "io.popen('exec sleep 1000'):close()", "io.popen('exec sleep 1000'):read 'a'",
    "io.popen('exec sleep 1000', 'w'):write(('x'):rep(1000000))",
    "pcall(io.close, io.popen 'exec sleep 1000') while true do end",
    // The handle is closed with the state.
    "pipe = io.popen 'exec sleep 1000'",
  ]

  @Test(arguments: waits)
  func `a time limit ends a wait for a program`(_ script: String) async throws {
    let ending = try await run(script, "--timeout", "300ms")
    #expect(ending.code == 6)
    // With the line at which it was, if it was in one.
    let message =
      /luath: error: script\.lua(:\d+)?: the script was stopped after its time limit of 300ms\n/
    #expect(ending.errors.prefixMatch(of: message) != nil, "\(ending.errors)")
  }

  @Test(arguments: waits)
  func `Ctrl-C ends a wait for a program`(_ script: String) async throws {
    let (luath, folder) = try start("io.write 'ready\\n' io.flush() " + script)
    _ = await luath.line(with: "ready")
    luath.send(SIGINT)
    let ending = await luath.ending()
    withExtendedLifetime(folder) {}
    #expect(!ending.wasKilled)
    #expect(ending.code == 130)
    #expect(ending.errors == "luath: error: script.lua was interrupted\n")
  }
}
