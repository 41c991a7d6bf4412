@testable import Emulator
import Glibc
import Testing

@Suite struct RuleTests {
  @Test func `production has every rule and compatible none`() {
    for rule in Rule.allCases {
      #expect(Rules.production[rule])
      #expect(!Rules.compatible[rule])
    }
    var rules = Rules.compatible
    rules[.totp] = true
    #expect(rules[.totp] && !rules[.signedTokens] && rules != .compatible)
    rules[.totp] = false
    #expect(rules == .compatible)
  }

  @Test func `the document has a row for every rule, with its words and its evidence`() throws {
    let path =
      String(#filePath.dropLast("Tests/EmulatorTests/RuleTests.swift".count)) + "docs/emulator.md"
    let text = try #require(contents(of: path))
    for rule in Rule.allCases {
      #expect(
        text.contains("| `\(rule.name)` | \(rule.summary) | \(rule.evidence.text) |\n"),
        "\(rule.name)")
    }
  }

  private func contents(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
