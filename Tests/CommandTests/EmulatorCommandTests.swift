import Foundation
import Testing

/// `luath emulator`: an emulator on its own, for luath and for other clients.
@Suite(.timeLimit(.minutes(2))) struct EmulatorCommandTests {
  private func serving(
    _ arguments: [String], in folder: ScriptFolder
  ) async throws -> (luath: Luath, host: String) {
    let luath = try Luath(["emulator"] + arguments, in: folder.url)
    let line = try #require(await luath.line(with: "serving "))
    let match = try #require(line.firstMatch(of: /on http:\/\/(127\.0\.0\.1:\d+)$/))
    return (luath, String(match.output.1))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `it serves until a signal and frees its port`(_ signal: Int32) async throws {
    let folder = try ScriptFolder()
    // The system gives it to nobody else between the two.
    let (first, host) = try await serving(["--port", "\(SilentPort.unused())"], in: folder)
    let answer = try await Luath(
      ["-sS", "http://\(host)/"], in: folder.url, program: "/usr/bin/curl"
    ).ending()
    #expect(answer.code == 0)
    #expect(!answer.output.isEmpty)
    let page = try await Luath(
      ["-sSL", "-H", "Accept: text/html", "http://\(host)/"], in: folder.url,
      program: "/usr/bin/curl"
    ).ending()
    #expect(page.output.contains("<h1>"))
    first.send(signal)
    let ending = await first.ending()
    #expect(ending.code == 0)
    #expect(ending.errors.isEmpty)
    #expect(
      ending.output == """
        its web page, with users, codes and requests: http://\(host)/
        for other clients: export FIREBASE_AUTH_EMULATOR_HOST=\(host)
        Ctrl-C ends it

        """)
    let port = String(host.split(separator: ":")[1])
    let (second, again) = try await serving(["--port", port], in: folder)
    #expect(again == host)
    second.send(SIGINT)
    #expect(await second.ending().code == 0)
  }

  @Test func `a port of another emulator is named, and a port of another program is not`()
    async throws
  {
    let folder = try ScriptFolder()
    let (first, host) = try await serving(["--port", "0"], in: folder)
    let port = String(host.split(separator: ":")[1])
    let second = try await Luath(["emulator", "--port", port], in: folder.url).ending()
    #expect(second.code == 4)
    #expect(
      second.errors == """
        luath: error: port \(port) is taken by another process
          hint: a luath emulator is listening there: use it with --target emulator:\(host), or start another one with --port

        """)
    first.send(SIGINT)
    #expect(await first.ending().code == 0)
    let silent = try SilentPort()
    let third = try await Luath(["emulator", "--port", "\(silent.port)"], in: folder.url).ending()
    #expect(third.code == 4)
    #expect(third.errors.contains("hint: choose another port, or 0 for a free one\n"))
    withExtendedLifetime(silent) {}
  }

  @Test func `scripts share it, by option and by variable`() async throws {
    let folder = try ScriptFolder([
      "project.lua": "return { project = { id = 'demo-shared' } }",
      "create.lua": """
      require("luath.auth").auth():createUser("shared@contoso.example", "correct horse")
      """,
      "find.lua": """
      local Auth = require "luath.auth"
      local user = Auth.auth():signIn(
        Auth.EmailAuthProvider.credential("shared@contoso.example", "correct horse")).user
      print(user.email, require("luath.host").projectID)
      """,
    ])
    let (emulator, host) = try await serving(
      ["--port", "0", "--project", "project.lua"], in: folder)
    let create = try await Luath(
      ["run", "--project", "project.lua", "--target", host, "create.lua"], in: folder.url
    ).ending()
    #expect(create.code == 0, "\(create.errors)")
    let find = try await Luath(
      ["run", "--project", "project.lua", "find.lua"], in: folder.url,
      environment: ["FIREBASE_AUTH_EMULATOR_HOST": host]
    ).ending()
    #expect(find.code == 0, "\(find.errors)")
    #expect(find.output == "shared@contoso.example\tdemo-shared\n")
    emulator.send(SIGINT)
    #expect(await emulator.ending().code == 0)
  }

  @Test(arguments: [false, true])
  func `letters are shown on the terminal unless it is to be quiet`(isQuiet: Bool) async throws {
    let folder = try ScriptFolder()
    let (emulator, host) = try await serving(
      ["--port", "0"] + (isQuiet ? ["--quiet"] : []), in: folder)
    let ask = try await Luath(
      [
        "-sS", "-H", "Content-Type: application/json", "-d",
        #"{"requestType":"EMAIL_SIGNIN","email":"ada@b.example"}"#,
        "http://\(host)/identitytoolkit.googleapis.com/v1/accounts:sendOobCode?key=k",
      ], in: folder.url, program: "/usr/bin/curl"
    ).ending()
    #expect(ask.code == 0)
    emulator.send(SIGINT)
    let ending = await emulator.ending()
    let notice = "To sign in as ada@b.example, follow this link: http://\(host)/emulator/action?"
    #expect(ending.output.contains(notice) == !isQuiet)
    #expect(ending.errors.isEmpty)
  }

  @Test func `a wider address is warned of, and is reached by this machine's own`() async throws {
    let folder = try ScriptFolder()
    let (luath, host) = try await serving(["--port", "0", "--host", "0.0.0.0"], in: folder)
    let answer = try await Luath(
      ["-sS", "http://\(host)/"], in: folder.url, program: "/usr/bin/curl"
    ).ending()
    #expect(answer.output.contains("authEmulator"))
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.code == 0)
    #expect(ending.errors.hasPrefix("luath: warning: on 0.0.0.0 other machines can reach"))
    #expect(ending.errors.contains("\n  hint: "))
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `an address of this machine only is no reason to warn`(_ address: String) async throws {
    let folder = try ScriptFolder()
    let (luath, _) = try await serving(["--port", "0", "--host", address], in: folder)
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.code == 0 && ending.errors.isEmpty)
  }

  @Test(arguments: ["nowhere.example", "300.0.0.1", "203.0.113.9"])
  func `an address that is none of this machine's is named`(_ address: String) async throws {
    let folder = try ScriptFolder()
    let ending = try await Luath(
      ["emulator", "--port", "0", "--host", address], in: folder.url
    ).ending()
    #expect(ending.code != 0)
    #expect(ending.errors.contains(address) && ending.errors.contains("\n  hint: "))
  }

  @Test func `a port in use is named`() async throws {
    let folder = try ScriptFolder()
    let (first, host) = try await serving(["--port", "0"], in: folder)
    let port = String(host.split(separator: ":")[1])
    let second = try await Luath(["emulator", "--port", port], in: folder.url).ending()
    #expect(second.code == 4)
    #expect(second.output.isEmpty)
    #expect(second.errors.hasPrefix("luath: error: "))
    #expect(second.errors.contains(port))
    #expect(second.errors.contains("\n  hint: "))
    first.send(SIGINT)
    #expect(await first.ending().code == 0)
  }

  @Test(
    arguments: [
      (["--functions", "nowhere"], "--functions takes an address such as 127.0.0.1:5001"),
      (["--rules", "production-"], "the name of a rule is missing after -"),
      (["--allow-origin", "app.example"], "--allow-origin: not an origin: \"app.example\""),
      (
        ["--allow-origin", "https://*.app.example"],
        "--allow-origin: not an origin: \"https://*.app.example\""
      ),
      (["--allow-server", "null"], "--allow-server: not an origin: \"null\""),
      (["--state", "--quiet"], "--state needs a value before --quiet: --state FILE"),
    ])
  func `an option without its value is refused`(_ options: [String], _ words: String) async throws {
    let folder = try ScriptFolder()
    let ending = try await Luath(["emulator", "--port", "0"] + options, in: folder.url).ending()
    #expect(ending.code == 2)
    #expect(ending.errors.contains(words), "\(ending.errors)")
  }

  @Test func `pages of the origins that are allowed use the controls`() async throws {
    let folder = try ScriptFolder([
      "project.lua": "return { project = { allowOrigins = { 'https://file.example' } } }"
    ])
    let (emulator, host) = try await serving(
      [
        "--port", "0", "--project", "project.lua", "--allow-origin", "https://one.example",
        "--allow-origin=https://two.example",
      ], in: folder)
    for (origin, status) in [
      ("https://file.example", "200"), ("https://one.example", "200"),
      ("https://two.example", "200"),
      ("https://evil.example", "403"), ("http://localhost:3000", "200"),
    ] {
      let answer = try await Luath(
        [
          "-sS", "-o", "answer", "-w", "%{http_code}", "-H", "Origin: \(origin)",
          "http://\(host)/emulator/v1/clock",
        ], in: folder.url, program: "/usr/bin/curl"
      ).ending()
      #expect(answer.output == status, "\(origin)")
    }
    emulator.send(SIGINT)
    #expect(await emulator.ending().code == 0)
  }

  @Test func `a state file in use is refused`() async throws {
    let folder = try ScriptFolder()
    let (first, _) = try await serving(["--port", "0", "--state", "kept.db"], in: folder)
    let second = try await Luath(["emulator", "--port", "0", "--state", "kept.db"], in: folder.url)
      .ending()
    #expect(second.code == 3)
    #expect(second.errors.contains("in use by another luath\n  hint: "), "\(second.errors)")
    first.send(SIGINT)
    #expect(await first.ending().code == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `what is there at a signal is exported, and loaded by the next one`(
    _ signal: Int32
  ) async throws {
    let folder = try ScriptFolder([
      "create.lua": """
      require("luath.auth").auth():createUser("kept@contoso.example", "correct horse")
      """,
      "find.lua": """
      local Auth = require "luath.auth"
      print(Auth.auth():signIn(
        Auth.EmailAuthProvider.credential("kept@contoso.example", "correct horse")).user.email)
      """,
    ])
    for script in ["create.lua", "find.lua"] {
      let (emulator, host) = try await serving(
        ["--port", "0", "--data", "kept/", "--rules", "production"], in: folder)
      let run = try await Luath(["run", "--target", host, script], in: folder.url).ending()
      #expect(run.code == 0, "\(run.errors)")
      emulator.send(signal)
      let ending = await emulator.ending()
      #expect(ending.code == 0, "\(ending.errors)")
    }
  }

  @Test func `a folder of something else is refused before anybody can change anything`()
    async throws
  {
    let folder = try ScriptFolder(["other/file": "precious"])
    let ending = try await Luath(["emulator", "--port", "0", "--data", "other"], in: folder.url)
      .ending()
    #expect(ending.code == 3)
    #expect(ending.output.isEmpty)
    #expect(ending.errors.contains("holds something else than an export: file\n  hint: "))
  }
}
