import Foundation
import Testing

/// `luath test` whose output nobody reads for a while.
@Suite(.timeLimit(.minutes(1))) struct SlowReportTests {
  @Test func `journeys run on while nobody reads the output, which is complete in the end`()
    async throws
  {
    // The first journey prints more than a pipe holds; the last one opens a FIFO.
    let folder = try ScriptFolder([
      "a_journey.lua": """
      local journey <const> = require "luath.journey"
      journey("prints", function() for _ = 1, 40 do print(("x"):rep(10000)) end end)
      journey("goes on", function()
        local fifo <close> = assert(io.open("fifo", "w"))
        fifo:write "reached"
      end)
      """
    ])
    let fifo = folder.url.appending(path: "fifo").path
    #expect(mkfifo(fifo, 0o600) == 0)
    let luath = try Luath(["test", "a_journey.lua", "--report", "json:run.ndjson"], in: folder.url)
    let reached = await withCheckedContinuation { answer in
      Thread.detachNewThread {
        answer.resume(
          returning: FileHandle(forReadingAtPath: fifo)?.readDataToEndOfFile())
      }
    }
    #expect(reached == Data("reached".utf8))
    let ending = await luath.ending()
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.utf8.count > 400_000)
    #expect(ending.output.contains("✓ goes on"))
    let events = try String(contentsOf: folder.url.appending(path: "run.ndjson"), encoding: .utf8)
    #expect(events.contains("\"run.end\""))
  }
}
