@testable import Journeys
import Testing

/// What journeys share stays open between them, and nothing else does.
@Suite(.serialized, .timeLimit(.minutes(2))) struct KeptPagesTests {
  @Test func `a page of a wide fixture or a block's setup serves all its journeys`() async throws {
    let ends = try await JourneyRun().ends(
      """
      local journey, webdriver = require "luath.journey", require "luath.webdriver"
      local shared = journey.fixture("shared", { scope = "file", timeout = 30 }, function(f)
        local page = webdriver.open {}
        f:defer(function() page:close() end)
        page:go "data:text/html,<p>shared</p>"
        return page
      end)
      local stray
      journey.group("a block", function()
        local own
        journey.beforeAll(function()
          own = webdriver.open {}
          own:go "data:text/html,<p>own</p>"
        end)
        for number = 1, 2 do
          journey("number " .. number, { timeout = 30 }, function(j)
            assert(j:use(shared):text "p" == "shared")
            assert(own:text "p" == "own")
            if number == 1 then
              stray = webdriver.open {}
            else
              local good, err = pcall(stray.go, stray, "about:blank")
              assert(not good and err.code == "pageClosed", tostring(err))
            end
          end)
        end
      end)
      """)
    #expect(ends.map(\.end.status) == [.passed, .passed])
    for end in ends { #expect(end.end.failures.isEmpty, "\(end.name): \(end.end.failures)") }
  }
}
