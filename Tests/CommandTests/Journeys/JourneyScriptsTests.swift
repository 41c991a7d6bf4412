import Foundation
import Testing

/// The journeys of `scripts/journeys` pass, side by side too.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct JourneyScriptsTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test(arguments: [
    ["--jobs", "1"], ["--jobs", "4"], ["--shuffle=1", "--jobs", "4"],
    ["--shuffle=2", "--jobs", "2"],
    ["--shuffle=3", "--jobs", "4"],
  ])
  func `all journeys pass, side by side and in any order`(options: [String]) async throws {
    let luath = try Luath(["test"] + options + ["scripts/journeys"], in: Self.root)
    let ending = await luath.ending(within: 300)
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("passed"))
  }

  @Test func `the reporter beside them lists what took longest`() async throws {
    let luath = try Luath(
      [
        "test", "scripts/journeys/link_journey.lua", "--report", "scripts/journeys/slowest.lua",
      ], in: Self.root)
    let ending = await luath.ending(within: 300)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.hasPrefix("| journey | milliseconds |\n| --- | ---: |\n| scripts/"))
    #expect(ending.output.contains("\n\n| call | milliseconds |\n| --- | ---: |\n| "))
  }
}
