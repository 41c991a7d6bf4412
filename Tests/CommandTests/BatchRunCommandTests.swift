import Foundation
import Testing

/// `luath batch run` and `ctl`, as processes, against an emulator that is another one.
@Suite(.timeLimit(.minutes(3))) struct BatchRunCommandTests {
  private static func files() throws -> [String: String] {
    [
      "people.lua": try luaProgram("BatchRun/people"),
      "link.lua": try luaProgram("BatchRun/link"),
      "own.lua": try luaProgram("BatchRun/own"),
      "rows.csv": "uid\n" + (1...150).map { "u\($0)\n" }.joined(),
      "names.csv": "uid,name\nu1,Ada\nu2,nobody\nu3,Grace\n",
      "other.lua": "return { project = { id = 'demo-other' } }",
    ]
  }

  /// A folder with accounts at an emulator that listens at `host`.
  private func withEmulator(
    _ body: (_ folder: ScriptFolder, _ host: String) async throws -> Void
  ) async throws {
    let folder = try ScriptFolder(Self.files())
    let emulator = try Luath(
      ["emulator", "--port", "0", "--quiet", "--rules", "production"], in: folder.url)
    let line = try #require(await emulator.line(with: "serving "))
    let host = try #require(line.firstMatch(of: /on http:\/\/(127\.0\.0\.1:\d+)$/)).output.1
    let made = try await luath(["run", "--target", String(host), "people.lua"], folder)
    try #require(made.code == 0, "\(made.errors)")
    try await body(folder, "emulator:\(host)")
    emulator.send(SIGTERM)
    #expect(await emulator.ending().code == 0)
  }

  private func luath(_ arguments: [String], _ folder: ScriptFolder) async throws -> Luath.Ending {
    try await Luath(arguments, in: folder.url).ending()
  }

  private func plan(
    _ script: String, _ rows: String, _ folder: ScriptFolder, _ host: String
  ) async throws {
    let made = try await luath(
      ["batch", "plan", script, "--in", rows, "-o", "plan.ndjson", "--target", host], folder)
    try #require(made.code == 0, "\(made.errors)\(made.output)")
  }

  private func export(_ host: String, _ folder: ScriptFolder) async throws -> String {
    let path = "identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:batchGet"
    return try await Luath(
      [
        "-sS", "-H", "Authorization: Bearer owner",
        "http://\(host.dropFirst("emulator:".count))/\(path)?maxResults=1000",
      ], in: folder.url, program: "/usr/bin/curl"
    ).ending().output
  }

  @Test func `without --execute nothing is changed, and with it the same command goes on`()
    async throws
  {
    try await withEmulator { folder, host in
      try await plan("link.lua", "rows.csv", folder, host)
      let run = ["batch", "run", "plan.ndjson", "--target", host]
      let before = try await export(host, folder)
      let dry = try await luath(run, folder)
      #expect(dry.code == 0, "\(dry.errors)")
      #expect(dry.output.contains("link: 150"))
      #expect(dry.output.contains("nothing was changed"))
      #expect(try await export(host, folder) == before)

      let slow = try Luath(run + ["--execute", "--rate", "5"], in: folder.url)
      let socket = folder.url.appending(path: "plan.journal.sock").path
      var status = ""
      // Each question is a process of its own; it is answered once the run listens.
      while status.firstMatch(of: /"done":[1-9]/) == nil {
        status = try await luath(["batch", "ctl", "plan.ndjson", "status"], folder).output
      }
      let paused = try await luath(["batch", "ctl", "plan.ndjson", "pause"], folder)
      #expect(paused.output.contains(#""state":"paused""#))
      #expect(paused.output.contains(#""secondsLeft":null"#))
      let waiting = try await luath(["batch", "status", "plan.ndjson"], folder)
      #expect(waiting.output.contains("it is running: paused"))
      #expect(!waiting.output.contains("rate:") && !waiting.output.contains("left:"))
      #expect(waiting.output.contains("next: luath batch ctl plan.ndjson resume, drain or rate=N"))
      slow.send(SIGSTOP)
      let silent = try await luath(["batch", "status", "plan.ndjson"], folder)
      #expect(silent.code == 0)
      #expect(silent.output.contains(/^run 1\n +\d+ waiting\n +\d+ done\n/))
      #expect(silent.errors.contains(" runs the plan and does not respond"))
      #expect(silent.errors.contains("kill -CONT "))
      slow.send(SIGCONT)
      slow.send(SIGINT)
      let drained = await slow.ending()
      #expect(drained.code == 130)
      #expect(drained.output.contains(" left\n"))
      #expect(!FileManager.default.fileExists(atPath: socket))
      let gone = try await luath(["batch", "ctl", "plan.ndjson", "status"], folder)
      #expect(gone.code == 4)

      let whole = try await luath(run + ["--execute", "--report", "events:e.ndjson"], folder)
      #expect(whole.code == 0, "\(whole.errors)")
      #expect(whole.output.contains("rows: 150 done\n"))
      let after = try await export(host, folder)
      #expect(after.contains("y-u1\""))
      #expect(after.contains("y-u150\""))
      let events = try String(
        contentsOf: folder.url.appending(path: "e.ndjson"), encoding: .utf8)
      #expect(events.contains(#""event":"step""#))
      #expect(events.contains(#""state":"done""#))
    }
  }

  @Test func `operations of the script's own run in it, and only in the one that made the plan`()
    async throws
  {
    try await withEmulator { folder, host in
      try await plan("own.lua", "names.csv", folder, host)
      let run = ["batch", "run", "plan.ndjson", "--target", host, "--execute"]
      let first = try await luath(run, folder)
      #expect(first.code == 1, "\(first.errors)")
      #expect(first.output.contains("rows: 2 done, 1 failed"))
      let found = try await export(host, folder)
      #expect(found.contains("Grace"))
      let undo = try await luath(["batch", "undo", "plan.ndjson", "--target", host], folder)
      #expect(undo.code == 1, "\(undo.errors)")
      #expect(undo.output.contains("run 1: 0 of 2 rows would be undone\n"))
      #expect(
        undo.output.contains(
          "2 notRestorable: greet has no undo in the script, so that the row ends there (rows "
        ))
      try folder.add("own.lua", Array("return nil".utf8))
      let other = try await luath(run, folder)
      #expect(other.code == 3)
      #expect(other.errors.contains("is not the one the plan was made with"))
      // What only says what would be done says this as well.
      let dry = try await luath(Array(run.dropLast()), folder)
      #expect(dry.code == 3)
      #expect(dry.errors.contains("is not the one the plan was made with"))
    }
  }

  @Test func `modules that the script loads are those of the plan, too`() async throws {
    try await withEmulator { folder, host in
      let own = try luaProgram("BatchRun/own")
      try folder.add("using.lua", Array("local words = require 'words'\n\(own)".utf8))
      try folder.add("words.lua", Array("return 'one'".utf8))
      try folder.add("one.csv", Array("uid,name\nu1,Ada\n".utf8))
      try await plan("using.lua", "one.csv", folder, host)
      let run = ["batch", "run", "plan.ndjson", "--target", host, "--execute"]
      try folder.add("words.lua", Array("return 'two'".utf8))
      let other = try await luath(run, folder)
      #expect(other.code == 3)
      #expect(
        other.errors.contains("the module words is not the one the plan was made with"),
        "\(other.errors)")
      try folder.add("words.lua", Array("return 'one'".utf8))
      let same = try await luath(run, folder)
      #expect(same.code == 0, "\(same.errors)")
      #expect(same.output.contains("rows: 1 done\n"))
    }
  }

  @Test func `a run that is drained when nothing is left has ended well`() async throws {
    try await withEmulator { folder, host in
      try folder.add(
        "last.lua",
        Array(
          luaProgram("BatchRun/last").utf8))
      try folder.add("one.csv", Array("uid\nu1\n".utf8))
      try await plan("last.lua", "one.csv", folder, host)
      let run = try await luath(
        ["batch", "run", "plan.ndjson", "--target", host, "--execute"], folder)
      #expect(run.output.contains("rows: 1 done\n"), "\(run.output)\(run.errors)")
      #expect(!run.output.contains("ended early"))
      #expect(run.code == 0)
    }
  }

  @Test func `a plan for another project, or no target at all, is refused`() async throws {
    try await withEmulator { folder, host in
      try await plan("link.lua", "rows.csv", folder, host)
      let run = ["batch", "run", "plan.ndjson", "--execute"]
      let other = try await luath(run + ["--target", host, "--project", "other.lua"], folder)
      #expect(other.code == 2)
      #expect(other.errors.contains("is for the project demo-luath"))
      // A named target on the same emulator, and a project file that appeared after the plan was made.
      let named = """
        return { targets = { other = { projectId = "demo-two", apiKey = "k",
          emulatorHost = "\(host.dropFirst("emulator:".count))" } } }
        """
      try folder.add("named.lua", Array(named.utf8))
      let two = try await luath(run + ["--target", "other", "--project", "named.lua"], folder)
      #expect(two.code == 2)
      #expect(two.errors.contains("and the target is demo-two"), "\(two.errors)")
      try folder.add("luath.lua", Array("return { project = { id = 'demo-three' } }".utf8))
      let three = try await luath(run + ["--target", host], folder)
      #expect(three.code == 2)
      #expect(three.errors.contains("and the target is demo-three"), "\(three.errors)")
      try folder.add("luath.lua", Array("return {}".utf8))
      let none = try await luath(run, folder)
      #expect(none.code == 2)
      #expect(none.errors.contains("needs the target"))
      let away = try await luath(
        ["batch", "run", "plan.ndjson", "--execute", "--target", "emulator:127.0.0.1:1"], folder)
      #expect(away.code == 4)
      #expect(away.output.contains("150 left"))
    }
  }
}
