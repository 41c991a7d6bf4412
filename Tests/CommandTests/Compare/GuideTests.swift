@testable import Host
@testable import luath
import Foundation
import Testing

/// What docs/guides/compare.md says of costs is what a dry run announces.
@Suite struct GuideTests {
  @Test func `the guide names the largest numbers of requests and accounts`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appending(path: "docs/guides/compare.md"), encoding: .utf8)
    let all = try ScenarioCatalogue.scenarios()
    let real = all.filter { $0.emulatorsOnly == nil }
    let requests = Self.text(Comparison.requests(real, isEmulated: false))
    let between = Self.text(Comparison.requests(all, isEmulated: true))
    #expect(guide.contains("| \(requests) at most for all scenarios of a real project"))
    #expect(guide.contains("(\(between) between two emulators)"))
    #expect(guide.contains("at most N, by default \(Self.text(Comparison.usualBudget))"))
    let accounts = "\(Comparison.accounts(real)) at most"
    #expect(guide.contains("| \(accounts), of which \(Comparison.signUps(real)) by sign-ups"))
  }

  /// A number with a comma before its thousands.
  private static func text(_ number: Int) -> String {
    guard number >= 1000 else { return "\(number)" }
    let rest = String(number % 1000)
    return "\(number / 1000),\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}
