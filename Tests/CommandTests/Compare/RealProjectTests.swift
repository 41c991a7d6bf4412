@testable import Host
@testable import luath
@testable import Emulator
@testable import System
import Testing

/// A comparison of a real project: Google's hosts are those of an emulator here.
@Suite(.timeLimit(.minutes(2))) struct RealProjectTests {
  @Test func `its settings stay, and the emulator it is compared with has them`() async throws {
    let (emulator, port) = try await Stage.emulator(.production)
    let (other, otherPort) = try await Stage.emulator(.production)
    let config = "/identitytoolkit.googleapis.com/v2/projects/demo-luath/config"
    try await Stage.ask(
      port, "PATCH", "\(config)?updateMask=emailPrivacyConfig",
      ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]])
    let before = try await Stage.ask(port, "GET", config)
    let scenarios = try ScenarioCatalogue.scenarios().filter { scenario in
      ["passwords/", "custom tokens/", "settings/", "tenants/"].contains {
        scenario.name.hasPrefix($0)
      }
    }
    let report = try await Stage(isReal: true).compare(port, with: otherPort, scenarios)
    #expect(report.count(.different) == 0, "\(report.text)")
    #expect(report.count(.failed) == 0 && report.isWhole)
    for result in report.results where result.scenario.emulatorsOnly != nil {
      #expect(result.outcome == .skipped, "\(result.scenario.name)")
    }
    #expect(report.count(.equal) > 20)
    let played = scenarios.filter { $0.emulatorsOnly == nil }
    #expect(report.target.requests <= Comparison.requests(played, isEmulated: false))
    #expect(try await Stage.ask(port, "GET", config) == before)
    #expect(try await Stage.accounts(of: emulator, port) == [])
    await emulator.stop()
    await other.stop()
  }

  @Test func `what it does not allow is skipped with the reason`() async throws {
    let (emulator, port) = try await Stage.emulator(.production)
    let (other, otherPort) = try await Stage.emulator(.production)
    try await Stage.ask(
      port, "PATCH",
      "/identitytoolkit.googleapis.com/v2/projects/demo-luath/config?updateMask=signIn.anonymous",
      ["signIn": ["anonymous": ["enabled": false]]])
    let scenarios = try ScenarioCatalogue.scenarios().filter { $0.name == "sign-up/anonymous" }
    let report = try await Stage(isReal: true).compare(port, with: otherPort, scenarios)
    #expect(report.results.map(\.outcome) == [.skipped])
    #expect(report.results.first?.reason == "anonymous sign-in is off")
    #expect(!report.isWhole)
    #expect(report.text.contains("nothing was compared"))
    await emulator.stop()
    await other.stop()
  }
}
