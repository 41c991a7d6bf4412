import Foundation
import Testing

/// The projects that `luath init` makes run as their README says.
@Suite(.timeLimit(.minutes(2))) struct InitTests {
  /// Makes a project, and gives the lines of the `sh` blocks of its README.
  private func project(_ template: String) async throws -> (ScriptFolder, commands: [String]) {
    let folder = try ScriptFolder()
    let luath = try Luath(["init", "--template", template], in: folder.url)
    #expect(await luath.ending().code == 0)
    let text = try String(contentsOf: folder.url.appending(path: "README.md"), encoding: .utf8)
    let blocks = text.matches(of: /```sh\n([^`]*)```/)
    return (folder, blocks.flatMap { $0.output.1.split(separator: "\n").map(String.init) })
  }

  private func run(
    _ commands: [String], in folder: ScriptFolder, environment: [String: String] = [:]
  ) async throws -> String {
    var output = ""
    for command in commands {
      let shell = try Luath(
        ["-c", command], in: folder.url, program: "/bin/sh", environment: environment)
      let ending = await shell.ending(within: 100)
      #expect(ending.code == 0, "\(command): \(ending.output)\(ending.errors)")
      output += ending.output
    }
    return output
  }

  @Test(arguments: [("journey", "4 journeys"), ("plain", "to the same account")])
  func `the commands of the README work at once`(_ template: String, _ words: String) async throws {
    let (folder, commands) = try await project(template)
    #expect(commands.count >= 2)
    #expect(try await run(commands, in: folder).contains(words))
  }

  @Test func `the migration is planned, carried out, proved and undone`() async throws {
    let (folder, commands) = try await project("migration")
    #expect(commands.count == 6)
    let emulator = try Luath(["emulator", "--port", "0"], in: folder.url)
    let line = try #require(await emulator.line(with: "http://"))
    let address = try #require(line.firstMatch(of: /127\.0\.0\.1:\d+/)).output
    let output = try await run(
      commands.map { $0.replacing("--target trial", with: "--target \(address)") }, in: folder)
    emulator.send(SIGTERM)
    #expect(await emulator.ending().code == 0)
    #expect(output.contains("3 accounts"))
  }

  @Test(arguments: [true, false])
  func `a trial changes no emulator that was started elsewhere`(
    _ isMigration: Bool
  ) async throws {
    let (folder, _) = try await project("migration")
    let other = isMigration ? try await project("migration").0 : try ScriptFolder()
    let emulator = try Luath(["emulator", "--port", "0"], in: other.url)
    let line = try #require(await emulator.line(with: "http://"))
    let address = try #require(line.firstMatch(of: /127\.0\.0\.1:\d+/)).output
    let call = "luath run --target \(address) -e 'local a = require(\"luath.admin\").admin()"
    let output = try await run(
      [
        "\(call) a:importUsers { { uid = \"mine\" } }'",
        "! luath run --target \(address) seed.lua 2>&1",
        "\(call) print(a:getUser(\"mine\").uid)'",
      ], in: folder)
    emulator.send(SIGTERM)
    #expect(await emulator.ending().code == 0)
    #expect(output.contains("is no emulator that was started in this folder; nothing was changed"))
    #expect(output.hasSuffix("mine\n"))
  }

  @Test func `a project holds nothing that the list of ignored files would hide`() async throws {
    for template in ["journey", "migration", "plain"] {
      let (folder, _) = try await project(template)
      _ = try await run(["git init --quiet", "git add --all"], in: folder)
      let output = try await run(["git status --short --ignored"], in: folder)
      // The definitions for editors are of the program, which writes them again.
      let hidden = output.split(separator: "\n").filter { $0.hasPrefix("!!") }
      #expect(hidden == ["!! .luath/"], "\(template): \(output)")
    }
  }
}
