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
    let first = Int.random(in: 0...90, using: &generator)
    phones = (first..<(first + 9)).map { number in
      "+1\(area ?? "650")55501\(number < 10 ? "0" : "")\(number)"
    }
  }

  /// A number as it is shown and recorded.
  static func shownPhone(_ index: Int) -> String { "+1650555010\(index)" }
}
