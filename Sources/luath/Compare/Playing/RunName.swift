import Host

/// The name of a comparison; the names of all accounts it creates start with it.
struct RunName: Sendable {
  /// For example `luath-compare-k3x9q2ab`.
  let prefix: String
  /// Phone numbers without subscribers: 555-01XX is reserved for examples in North America.
  let phones: [String]

  /// The replacement for the prefix in reports and recordings.
  static let shownPrefix = "luath-compare-run"

  /// A new random name.
  init() {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    prefix =
      "luath-compare-"
      + String((0..<8).map { _ in letters.randomElement(using: &generator) ?? "a" })
    let area = ["201", "212", "305", "415", "503", "617", "702", "808"].randomElement(
      using: &generator)
    // Start at 10: then no number has the last four digits of a replacement.
    let first = Int.random(in: 10...90, using: &generator)
    phones = (first..<(first + 9)).map { "+1\(area ?? "650")55501\($0)" }
  }

  /// The replacement for the API key in reports and recordings.
  static let shownKey = "compare-key"

  /// A phone number as second factors show it: only its last four digits.
  static func masked(_ phone: String) -> String {
    "+" + String(repeating: "*", count: max(0, phone.count - 5)) + phone.suffix(4)
  }

  /// The replacements for the test phone number and its code.
  static let shownTestPhone = "+16505550199"
  static let shownTestCode = "123456"

  /// The replacement for a phone number.
  static func shownPhone(_ index: Int) -> String { "+1650555010\(index)" }
}
