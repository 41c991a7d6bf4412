internal import System
internal import OIDC

/// Ids that are the same in every run, because they are hashes of what they identify.
enum StableID {
  /// Thirty-two lowercase hexadecimal digits.
  static func hex(for kind: String, _ subject: String) -> String {
    String(Digest.sha256Hex("luath:\(kind):\(subject)").prefix(32))
  }

  /// A GUID in the format of version 4.
  static func guid(for kind: String, _ subject: String) -> String {
    var digits = Array(hex(for: kind, subject).utf8)
    digits[12] = UInt8(ascii: "4")
    digits[16] = UInt8(ascii: "8")
    var text = ""
    for (position, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(position) { text += "-" }
      text.unicodeScalars.append(Unicode.Scalar(digit))
    }
    return text
  }

  /// `count` decimal digits that do not begin with zero.
  static func decimal(for kind: String, _ subject: String, count: Int) -> String {
    var text = ""
    for byte in Digest.sha256(Array("luath:\(kind):\(subject)".utf8)).prefix(count) {
      text += String(text.isEmpty ? byte % 9 + 1 : byte % 10)
    }
    return text
  }

  static func isGUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return false }
    return groups.joined().allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        true
      default: false
      }
    }
  }
}
