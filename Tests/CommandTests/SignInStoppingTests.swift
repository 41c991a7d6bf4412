import Foundation
import Testing

/// A run that waits for a person ends by time, Ctrl-C and SIGTERM, and leaves nothing behind.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .disabled(if: ProcessInfo.processInfo.environment["LUATH_SANITIZER"] == "thread"))
struct SignInStoppingTests {
  /// Waits at a sign-in page after it has printed `ready` and, if there is one, the address it waits at.
  private static let waits: [(name: String, script: String)] = [
    (
      "browser",
      """
      provider:getCredential(ui.browser { open = function(url)
        print("ready " .. http.parseForm(url).redirect_uri)
      end })
      """
    ),
    (
      "opening",
      """
      provider:getCredential(ui.browser { open = function(url)
        print("ready " .. http.parseForm(url).redirect_uri)
        task.sleep(1000)
      end })
      """
    ),
    (
      "paste",
      "provider:getCredential(function(page) print 'ready' return show(ui.paste(), page) end)"
    ),
    (
      "browser without a browser",
      """
      provider:getCredential(function(page)
        print 'ready'
        return show(ui.browser { open = function() return false end }, page)
      end)
      """
    ),
    ("function", "provider:getCredential(function() print 'ready' task.sleep(1000) end)"),
    ("form", "ui.show(ui.form { username = 'a' }, arg[1], 'http://127.0.0.1:9/callback')"),
  ]

  private static let prelude = """
    local Auth, ui, http = require "luath.auth", require "luath.ui", require "luath.http" \
    local task = require "luath.task" \
    local provider = Auth.OAuthProvider "microsoft.com" \
    local function show(delegate, page) return ui.show(delegate, page.url, "http://127.0.0.1:" .. arg[2] .. "/callback") end\u{20}
    """

  private func script(_ name: String) throws -> String {
    Self.prelude + (try #require(Self.waits.first { $0.name == name }).script)
  }

  @Test(arguments: waits.map(\.name), [SIGINT, SIGTERM])
  func `a signal ends a sign-in`(_ name: String, _ signal: Int32) async throws {
    let silent = try SilentPort()
    let port = SilentPort.unused()
    let input = Pipe()
    let (luath, folder) = try start(
      try script(name), arguments: ["http://127.0.0.1:\(silent.port)/", "\(port)"], input: input)
    var line: String?
    if name == "form" { await silent.connection() } else { line = await luath.line(with: "ready") }
    luath.send(signal)
    let ending = await luath.ending()
    withExtendedLifetime((folder, silent, input)) {}
    #expect(!ending.wasKilled)
    #expect(ending.code == 130)
    #expect(
      ending.errors.hasSuffix("luath: error: script.lua was interrupted\n"), "\(ending.errors)")
    if let address = line?.split(separator: " ").last, let url = URL(string: String(address)),
      let port = url.port
    {
      #expect(SilentPort.isFree(UInt16(port)))
    }
  }

  @Test(arguments: waits.map(\.name))
  func `a time limit ends a sign-in`(_ name: String) async throws {
    let silent = try SilentPort()
    let input = Pipe()
    let (luath, folder) = try start(
      try script(name), ["--timeout", "1s"],
      arguments: ["http://127.0.0.1:\(silent.port)/", "\(SilentPort.unused())"], input: input)
    let ending = await luath.ending()
    withExtendedLifetime((folder, silent, input)) {}
    #expect(!ending.wasKilled)
    #expect(ending.code == 6)
    #expect(
      ending.errors.contains("the script was stopped after its time limit"), "\(ending.errors)")
  }

  @Test func `a pasted line is read beside the script, and the next ones stay its own`()
    async throws
  {
    let input = Pipe()
    let (luath, folder) = try start(
      Self.prelude + luaProgram("SignInStopping/paste"), input: input)
    let writer = input.fileHandleForWriting
    try writer.write(contentsOf: Data("first\n".utf8))
    _ = await luath.line(with: "ready")
    try writer.write(contentsOf: Data("<http://127.0.0.1:9/callback?code=1&state=s>\n".utf8))
    try writer.write(contentsOf: Data("second\n".utf8))
    try writer.write(
      contentsOf: Data("third\nhttp://127.0.0.1:9/callback?code=2&state=s\r\nfourth".utf8))
    try writer.close()
    let ending = await luath.ending()
    withExtendedLifetime(folder) {}
    #expect(
      ending.output == """
        http://127.0.0.1:9/callback?code=1&state=s
        second
        third
        http://127.0.0.1:9/callback?code=2&state=s
        fourth
        webContextCancelled

        """, "\(ending.errors)")
    #expect(ending.code == 0)
    #expect(!ending.errors.contains("code="))
  }

  /// A browser that writes down what it was started with.
  private static let browser = """
    #!/bin/sh
    ls /proc/$$/fd > facts
    echo "$# $(readlink /proc/$$/fd/0) $(readlink /proc/$$/fd/1)" >> facts
    printf '%s' "$1" > part && mv part address
    """

  @Test func `the person's own browser is opened without a shell`() async throws {
    let (luath, folder) = try start(
      Self.prelude + luaProgram("SignInStopping/browser"),
      environment: ["BROWSER": "no-such-program:./failing:./browser"],
      programs: ["browser": Self.browser, "failing": "#!/bin/sh\nexit 3\n"])
    let ending = await luath.ending()
    withExtendedLifetime(folder) {}
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = ending.output.split(separator: "\n")
    #expect(lines.first == "ada@contoso.example", "\(ending.output)")
    // From 10 on they are the shell's own; ours would be right after the first three.
    let held = Set(lines.dropFirst().dropLast())
    #expect(held.isSuperset(of: ["0", "1", "2"]), "\(ending.output)")
    #expect(held.isDisjoint(with: (3...9).map { Substring("\($0)") }), "\(ending.output)")
    #expect(lines.last == "1 /dev/null /dev/null", "\(ending.output)")
    #expect(ending.errors.contains("opens in your browser"))
  }

  @Test func `without a display the person is asked to paste`() async throws {
    let none = ["DISPLAY": "", "WAYLAND_DISPLAY": "", "WSL_DISTRO_NAME": "", "BROWSER": ""]
    let (luath, folder) = try start(
      Self.prelude + "provider:getCredential(ui.browser())", environment: none)
    let ending = await luath.ending()
    withExtendedLifetime(folder) {}
    #expect(ending.code == 1)
    #expect(ending.errors.contains("Then paste the address the browser ends at"))
    #expect(ending.errors.contains("webBrowserUnavailable"), "\(ending.errors)")
  }
}
