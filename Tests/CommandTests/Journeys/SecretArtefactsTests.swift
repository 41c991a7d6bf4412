@testable import System
import Foundation
import Testing

/// Whatever a run writes, none of its secrets is in it.
@Suite(.timeLimit(.minutes(5)))
struct SecretArtefactsTests {
  @Test func `no artefact of a run full of secrets holds one of them`() async throws {
    let folder = try ScriptFolder([
      "secrets_journey.lua": luaProgram("SecretArtefacts/journey"),
      "luath.lua": luaProgram("SecretArtefacts/project"),
    ])
    let help = try await Luath(["test", "--help"], in: folder.url).ending().output
    var arguments = ["test", "--trace", "all", "--pages", "pages", "--pictures", "step"]
    for kind in ["pretty", "dot", "tap", "junit", "json", "html", "har", "github"]
    where help.contains("--report") && help.contains(kind) {
      arguments += ["--report", "\(kind):report.\(kind)"]
    }
    let ending = try await Luath(
      arguments, in: folder.url, environment: ["API_SECRET": "env-s3cret-value"]
    ).ending(within: 120)
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")

    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    let known = try String(contentsOf: folder.url.appending(path: "known.txt"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    #expect(known.count == 13)
    var artefacts = [("output", ending.output), ("errors", ending.errors)]
    for file in files where !["known.txt", "luath.lua", "secrets_journey.lua"].contains(file) {
      guard let data = try? Data(contentsOf: folder.url.appending(path: file)) else { continue }
      artefacts.append((file, String(decoding: data, as: UTF8.self)))
    }
    #expect(artefacts.count >= 2 + arguments.filter { $0 == "--report" }.count)
    #expect(ending.output.contains("[password 1]"))
    #expect(files.contains("secrets_journey.lua.snap"))
    // Attachments, pages, and what browsers logged, in each place where they are.
    for ending in [".png", ".html", ".txt"] {
      let made = artefacts.map(\.0).filter { $0.hasSuffix(ending) }
      #expect(made.contains { $0.hasPrefix("pages/") }, "\(ending): \(made)")
      #expect(made.contains { $0.hasPrefix("report.junit-attachments/") }, "\(ending): \(made)")
    }
    let events = artefacts.first { $0.0 == "report.json" }?.1 ?? ""
    for kind in ["attachment", "page.console", "page.request"] {
      #expect(events.contains("{\"event\":\"\(kind)\","), "\(kind)")
    }
    for (name, text) in artefacts {
      for spelling in known.flatMap(Self.spellings) where text.contains(spelling) {
        Issue.record("\(name) holds \(spelling)")
      }
    }
  }

  @Test func `with shown secrets, those of settings and all in snapshots stay hidden`() async throws
  {
    let folder = try ScriptFolder([
      "secrets_journey.lua": luaProgram("SecretArtefacts/journey"),
      "luath.lua": luaProgram("SecretArtefacts/project"),
    ])
    let reports = ["pretty", "tap", "junit", "json", "html", "har"]
    let ending = try await Luath(
      ["test", "--show-secrets", "--trace", "all"]
        + reports.flatMap { ["--report", "\($0):report.\($0)"] },
      in: folder.url, environment: ["API_SECRET": "env-s3cret-value"]
    ).ending(within: 120)
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")
    func text(_ name: String) throws -> String {
      try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    }
    for kind in reports {
      let report = try text("report.\(kind)")
      #expect(report.contains("another-s3cret"), "\(kind) hides a password")
      #expect(report.lowercased().contains("showssecrets") || report.contains("shows secrets"))
      for secret in ["env-s3cret-value", "cl1ent-secret-of-google"] where report.contains(secret) {
        Issue.record("\(kind) holds \(secret)")
      }
    }
    let snapshots = try text("secrets_journey.lua.snap")
    for secret in try text("known.txt").split(separator: "\n") where snapshots.contains(secret) {
      Issue.record("the snapshots hold \(secret)")
    }
  }

  private static func spellings(of secret: String) -> [String] {
    var spellings = [secret, PercentEncoding.encode(secret)]
    for before in ["", "a", "ab"] {
      // The digits at both ends are shared with what stands beside the secret.
      let digits = Base64.encode(Array((before + secret).utf8)).filter { $0 != "=" }
      if digits.count >= 14 { spellings.append(String(digits.dropFirst(4).dropLast())) }
    }
    return spellings
  }
}
