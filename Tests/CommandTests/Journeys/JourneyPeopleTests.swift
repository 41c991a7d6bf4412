import Foundation
import Testing

/// Nobody whom a journey makes is left where others go on working.
@Suite(.timeLimit(.minutes(5)))
struct JourneyPeopleTests {
  @Test func `an emulator that goes on is left as it was, so that a second run passes`()
    async throws
  {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey("by password", function(j)
        local ada = j.people:new { email = "fixed@left.example", password = "correct horse" }
        ada:signIn()
      end)
      journey("by a provider", function(j)
        j.people:new({ email = "other@left.example" }):signIn "google.com"
      end)
      journey.afterAll(function()
        local emulator, http = require "luath.emulator", require "luath.http"
        for _, person in ipairs(emulator.people()) do
          if person.email:find "left.example" then say(person.email) end
        end
        local url = "/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:batchGet"
        local answer = http.get(emulator.origin .. url, { bearer = "owner" }):json()
        for _, user in ipairs(answer.users or {}) do say(user.email) end
      end)
      """
    ])
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
