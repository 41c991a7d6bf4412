import Foundation
import Testing

/// Nobody whom a journey makes is left where others go on working.
@Suite(.timeLimit(.minutes(5)))
struct JourneyPeopleTests {
  @Test func `an emulator that goes on is left as it was, so that a second run passes`()
    async throws
  {
    let folder = try JourneyFolder(program: "JourneyPeople/people")
    let place = try ScriptFolder()
    let emulator = try Luath(["emulator", "--port", "0", "--rules", "production"], in: place.url)
    let line = try #require(await emulator.line(with: "serving "))
    let host = try #require(line.firstMatch(of: /127\.0\.0\.1:\d+/))
    for _ in 1...2 {
      let ending = try await folder.test("--target", String(host.output))
      #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
      #expect(folder.log.isEmpty)
    }
    emulator.send(SIGTERM)
    _ = await emulator.ending()
  }
}
