/// The name of a comparison, which all that it makes begins with.
public struct RunName: Sendable {
  /// Such as `luath-compare-k3x9q2ab`.
  public let prefix: String
  /// Phone numbers that no subscriber has: 555-01XX is kept for examples in North America.
  let phones: [String]

  /// What stands for the prefix in what is shown and recorded.
  static let shownPrefix = "luath-compare-run"

  /// A name that nothing has had before.
  public init() {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    prefix =
      "luath-compare-"
      + String((0..<8).map { _ in letters.randomElement(using: &generator) ?? "a" })
    let area = ["201", "212", "305", "415", "503", "617", "702", "808"].randomElement(
      using: &generator)
    // From 10, so that none ends as the numbers that are shown instead.
    let first = Int.random(in: 10...90, using: &generator)
    phones = (first..<(first + 9)).map { "+1\(area ?? "650")55501\($0)" }
  }

  /// The API key as it is shown and recorded.
  public static let shownKey = "compare-key"

  /// A number as second factors show it: its last four digits.
  static func masked(_ phone: String) -> String {
    "+" + String(repeating: "*", count: max(0, phone.count - 5)) + phone.suffix(4)
  }

  /// The project's number for tests and its code, as they are shown and recorded.
  static let shownTestPhone = "+16505550199"
  static let shownTestCode = "123456"

  /// A number as it is shown and recorded.
  static func shownPhone(_ index: Int) -> String { "+1650555010\(index)" }
}
