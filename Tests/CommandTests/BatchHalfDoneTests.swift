import Foundation
import Testing

/// What `luath batch` says and exits with when a row is half done.
@Suite(.timeLimit(.minutes(2))) struct BatchHalfDoneTests {
  private static let files = [
    "seed.lua": """
    local users = {
      { uid = "ada", email = "ada@contoso.example" },
      { uid = "ada2", providerData = { { providerID = "google.com", uid = "g" } } },
    }
    assert(require("luath.admin").admin():importUsers(users).failureCount == 0)
    """,
    "merge.lua": """
    local batch = require "luath.batch"
    return batch.define {
      plan = function(row)
        return batch.merge { survivor = row.survivor, loser = row.loser }
      end,
    }
    """,
    "rows.csv": "survivor,loser\nada,ada2\n",
    // The second step is refused, and so is what would take the first one back.
    "faults.json": """
    {"seed":7,"faults":[{"operation":"update","error":"FEDERATED_USER_ID_ALREADY_LINKED",
    "after":1,"count":2}]}
    """,
  ]

  private func luath(_ arguments: [String], _ folder: ScriptFolder) async throws -> Luath.Ending {
    try await Luath(arguments, in: folder.url).ending()
  }

  @Test func `each command names a half-done row, and retry repairs it`() async throws {
    let folder = try ScriptFolder(Self.files)
    let emulator = try Luath(
      ["emulator", "--port", "0", "--quiet", "--rules", "production"], in: folder.url)
    let line = try #require(await emulator.line(with: "serving "))
    let host = try #require(line.firstMatch(of: /on http:\/\/(127\.0\.0\.1:\d+)$/)).output.1
    let target = ["--target", "emulator:\(host)"]
    #expect(try await luath(["run"] + target + ["seed.lua"], folder).code == 0)
    let planned = try await luath(
      ["batch", "plan", "merge.lua", "--in", "rows.csv", "-o", "plan.ndjson"] + target, folder)
    #expect(planned.code == 0, "\(planned.errors)")
    let faults = try await Luath(
      [
        "-sS", "-X", "PUT", "-H", "Authorization: Bearer owner", "-H",
        "Content-Type: application/json", "-d", "@faults.json",
        "http://\(host)/emulator/v1/faults",
      ], in: folder.url, program: "/usr/bin/curl"
    ).ending()
    #expect(faults.code == 0, "\(faults.errors)")

    let run = try await luath(["batch", "run", "plan.ndjson", "--execute"] + target, folder)
    #expect(run.code == 1, "\(run.errors)")
    #expect(run.output.contains("rows: 0 done, 1 half done\n"), "\(run.output)")
    let repair = "luath batch retry plan.ndjson --target emulator:\(host) --code halfDone --execute"
    #expect(run.output.contains(repair), "\(run.output)")
    let status = try await luath(["batch", "status", "plan.ndjson"], folder)
    #expect(status.output.contains("1 half done\n"), "\(status.output)")
    #expect(status.output.contains("luath batch export plan.ndjson --half-done shows why"))
    let json = try await luath(["batch", "status", "plan.ndjson", "--json"], folder)
    #expect(json.output.contains(#""halfDone":1"#))
    let verify = try await luath(["batch", "verify", "plan.ndjson"] + target, folder)
    #expect(verify.code == 1, "\(verify.errors)")
    #expect(verify.output.contains("row 1 (1): half done: "), "\(verify.output)")
    #expect(verify.output.contains("1 row is half done: luath batch status plan.ndjson"))
    let export = try await luath(["batch", "export", "plan.ndjson", "--half-done"], folder)
    #expect(export.output.contains("ada,ada2,halfDone,halfDone,"), "\(export.output)")
    #expect(try await luath(["batch", "export", "plan.ndjson", "--failed"], folder).code == 5)

    let retry = try await luath(
      ["batch", "retry", "plan.ndjson", "--code", "halfDone", "--execute"] + target, folder)
    #expect(retry.code == 0, "\(retry.output)\(retry.errors)")
    #expect(retry.output.contains("rows: 1 done\n"), "\(retry.output)")
    #expect(try await luath(["batch", "verify", "plan.ndjson"] + target, folder).code == 0)
    emulator.send(SIGTERM)
    #expect(await emulator.ending().code == 0)
  }
}
