@testable import Host
@testable import luath
@testable import Emulator
@testable import System
import Foundation
@testable import HTTP
import Synchronization
import Testing

/// What a comparison deletes and puts back at servers with quotas, lost responses and accounts of others.
@Suite(.timeLimit(.minutes(2))) struct CleanupTests {
  private static func scenarios(_ topics: String...) throws -> [Scenario] {
    try ScenarioCatalogue.scenarios().filter { scenario in
      topics.contains { scenario.name.hasPrefix("\($0)/") }
    }
  }

  @Test func `quotas delay deletions and settings, and nothing is left`() async throws {
    // Time passes in pauses only.
    let clock = EmulatorClock(frozenAt: Int64(Date().timeIntervalSince1970))
    let (emulator, port) = try await Stage.emulator(.production, clock: clock, keepsQuotas: true)
    let (other, otherPort) = try await Stage.emulator(.production)
    let pauses = Mutex<[Duration]>([])
    let stage = Stage(paused: { pause in
      pauses.withLock { $0.append(pause) }
      clock.advance(bySeconds: 1)
    })
    let report = try await stage.compare(
      port, with: otherPort, try Self.scenarios("sign-up", "settings", "second factors", "delete"))
    #expect(report.isWhole, "\(report.text)")
    #expect(report.count(.different) == 0, "\(report.text)")
    #expect(!pauses.withLock(\.self).isEmpty)
    #expect(try await Stage.accounts(of: emulator, port) == [])
    await emulator.stop()
    await other.stop()
  }

  @Test func `batch deletions at a real project are a second apart`() async throws {
    let (emulator, port) = try await Stage.emulator(.production)
    let (other, otherPort) = try await Stage.emulator(.production)
    let steps = Mutex<[String]>([])
    let stage = Stage(
      isReal: true,
      // Scenarios themselves wait a second at most.
      paused: { pause in
        if pause > .seconds(1) { steps.withLock { $0.append("pause") } }
      },
      loses: { request in
        if request.url.path.hasSuffix(":batchDelete") { steps.withLock { $0.append("delete") } }
        return false
      })
    let report = try await stage.compare(
      port, with: otherPort, try Self.scenarios("delete", "phone"))
    #expect(report.isWhole, "\(report.text)")
    let all = steps.withLock(\.self)
    let deletions = all.count { $0 == "delete" }
    #expect(deletions > 2)
    #expect(
      all == ["delete"] + Array(repeating: ["pause", "delete"], count: deletions - 1).joined())
    await emulator.stop()
    await other.stop()
  }

  @Test(arguments: [":lookup", ":batchDelete"])
  func `a lost response in the last deletion leaves nothing`(_ call: String) async throws {
    let (emulator, port) = try await Stage.emulator(.production)
    let (other, otherPort) = try await Stage.emulator(.production)
    let count = Mutex(0)
    let stage = Stage(
      isReal: true,
      loses: { request in
        guard request.url.path.contains("/projects/"), request.url.path.hasSuffix(call) else {
          return false
        }
        return count.withLock {
          $0 += 1
          return $0 % 2 == 1
        }
      })
    let report = try await stage.compare(
      port, with: otherPort, try Self.scenarios("custom tokens"))
    #expect(report.isWhole, "\(report.text)")
    #expect(report.target.left == [])
    #expect(report.target.deleted > 0)
    #expect(try await Stage.accounts(of: emulator, port) == [])
    await emulator.stop()
    await other.stop()
  }

  @Test func `accounts of others are not exported`() async throws {
    let (emulator, port) = try await Stage.emulator(.production)
    let (other, otherPort) = try await Stage.emulator(.production)
    try await Stage.ask(
      port, "POST", "/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts",
      ["localId": "resident", "email": "resident@example.com"])
    let report = try await Stage().compare(port, with: otherPort, try Self.scenarios("query"))
    let skipped = report.results.filter { $0.outcome == .skipped }
    #expect(skipped.map(\.scenario.name) == ["query/export nobody", "query/export"])
    #expect(skipped.allSatisfy { $0.reason?.contains("other accounts") == true })
    let shown = report.text + report.json.encoded()
    #expect(!shown.contains("resident"))
    #expect(
      !report.recordings.contains { String(decoding: $0.bytes, as: UTF8.self).contains("resident") }
    )
    await emulator.stop()
    await other.stop()
  }

  @Test(arguments: [Rules.production, .compatible])
  func `the settings of a running emulator are as before`(_ rules: Rules) async throws {
    let (emulator, port) = try await Stage.emulator(rules)
    let (other, otherPort) = try await Stage.emulator(rules)
    let config = "/identitytoolkit.googleapis.com/v2/projects/demo-luath/config"
    let before = try await Stage.ask(port, "GET", config)
    let scenarios = try Self.scenarios(
      "settings", "second factors", "tenants", "passwords", "phone")
    let report = try await Stage(hasOwnClock: false).compare(port, with: otherPort, scenarios)
    #expect(report.isWhole && report.count(.different) == 0, "\(report.text)")
    let after = try await Stage.ask(port, "GET", config)
    #expect(after.encoded(sortedKeys: true) == before.encoded(sortedKeys: true))
    await emulator.stop()
    await other.stop()
  }
}
