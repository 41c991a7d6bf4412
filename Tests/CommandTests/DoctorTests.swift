@testable import System
import Foundation
@testable import HTTP
import Testing

/// `luath doctor` on machines that have what it looks for, and on some that have not.
@Suite(.timeLimit(.minutes(1))) struct DoctorTests {
  private struct Report {
    let ending: Luath.Ending
    let findings: [String: [String: String]]

    func level(_ check: String) -> String? { findings[check]?["level"] }
    func text(_ check: String) -> String { findings[check]?["text"] ?? "" }
    func hint(_ check: String) -> String { findings[check]?["hint"] ?? "" }
  }

  private func report(
    _ options: [String] = [], _ files: [String: String] = [:],
    environment: [String: String] = [:]
  ) async throws -> Report {
    let folder = try ScriptFolder(files)
    let luath = try Luath(
      ["doctor", "--json"] + options, in: folder.url, environment: environment)
    let ending = await luath.ending(within: 50)
    let object = try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
    let report = try #require(object as? [String: Any])
    #expect(report["ok"] as? Bool == (ending.code == 0))
    var findings: [String: [String: String]] = [:]
    for finding in try #require(report["findings"] as? [[String: String]]) {
      findings[try #require(finding["check"])] = finding
    }
    return Report(ending: ending, findings: findings)
  }

  @Test func `a machine that has all is well, line by line`() async throws {
    let folder = try ScriptFolder()
    let luath = try Luath(["doctor"], in: folder.url, environment: ["LC_ALL": "C.UTF-8"])
    let ending = await luath.ending()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let lines = ending.output.split(separator: "\n")
    for subject in [
      "luath", "libraries", "certificates", "state", "temporary", "open files", "terminal",
      "locale", "PostgreSQL", "project file", "target emulator", "clock",
    ] {
      #expect(lines.contains { $0.hasPrefix("ok       \(subject) ") }, "\(subject)")
    }
  }

  @Test func `what is missing is a warning or a problem, each with what to do`() async throws {
    let report = try await report(environment: [
      "PATH": "/nowhere", "LC_ALL": "C", "TMPDIR": "/proc", "CURL_CA_BUNDLE": "/nowhere.pem",
    ])
    #expect(report.ending.code == 1)
    #expect(report.level("chromedriver") == "warning")
    #expect(report.hint("chromedriver").contains("install"))
    #expect(report.level("locale") == "warning")
    #expect(report.hint("locale").contains("LANG=C.UTF-8"))
    #expect(report.level("temporary") == "problem")
    #expect(report.level("certificates") == "problem")
    #expect(report.hint("certificates").contains("CURL_CA_BUNDLE"))
  }

  @Test func `each target of the project file is looked at`() async throws {
    let report = try await report(
      [],
      [
        "luath.lua": """
        return {
          targets = {
            nobody = { projectId = "shop", emulatorHost = "127.0.0.1:1" },
            keyless = { projectId = "shop", apiKeyVariable = "SHOP_KEY_THAT_IS_NOT_SET" },
          },
        }
        """
      ])
    #expect(report.ending.code == 0)
    #expect(report.level("project file") == "ok")
    #expect(report.level("target emulator") == "ok")
    #expect(report.level("target nobody") == "warning")
    #expect(report.text("target nobody").contains("127.0.0.1:1"))
    #expect(report.level("target keyless") == "warning")
  }

  @Test func `a target that is asked for and does not answer is a problem`() async throws {
    let report = try await report(["--target", "127.0.0.1:1"])
    #expect(report.ending.code == 1)
    #expect(report.level("target 127.0.0.1:1") == "problem")
    #expect(report.text("target 127.0.0.1:1").contains("nothing accepts connections"))
  }

  @Test func `Firebase's emulator is named, with what it lacks`() async throws {
    let loop = try EventLoop(name: "firebase")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let port = try await LoopActor(loop).run { actor in
      try HTTPServer(loop: actor.loop) { request in
        // Firebase's emulator answers an unknown path so.
        request.url.path == "/emulator/v1/clock"
          ? .now(
            ServerResponse(
              status: 404, json: ["error": ["message": "Not Found", "status": "NOT_FOUND"]]))
          : .now(ServerResponse(json: ["projectId": "12345"]))
      }.port
    }
    let report = try await report(["--target", "127.0.0.1:\(port)"])
    #expect(report.ending.code == 0)
    let target = "target 127.0.0.1:\(port)"
    #expect(report.level(target) == "warning")
    #expect(report.text(target).contains("Firebase's emulator, which has no clock"))
    #expect(report.text(target).contains("no authenticator apps (TOTP)"))
    #expect(report.hint(target).contains("luath emulator --rules production"))
  }

  @Test func `a queue that cannot be used is a problem, and its password is not shown`()
    async throws
  {
    let report = try await report(
      ["--queue", "QUEUE"],
      environment: ["QUEUE": "postgres://ada:correct-horse@127.0.0.1:1/batches"])
    #expect(report.ending.code == 1)
    #expect(report.level("PostgreSQL") == "problem")
    #expect(!report.ending.output.contains("correct-horse"))
    #expect(report.text("PostgreSQL").contains("127.0.0.1:1"))
  }

  @Test func `a project file that does not load is a problem with its line`() async throws {
    let report = try await report([], ["luath.lua": "return {\n  projcet = {},\n}\n"])
    #expect(report.ending.code == 1)
    #expect(report.text("project file").contains("luath.lua:2"))
    #expect(report.hint("project file").contains("did you mean 'project'"))
  }
}
